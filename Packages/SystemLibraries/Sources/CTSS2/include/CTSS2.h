#ifndef CTSS2_H
#define CTSS2_H

// tss2-esys and tss2-tctildr are loaded when first used, not linked: see CTSS2.c.
#if defined(__linux__)

/// Loads the libraries; returns 0, or -1 where they are not installed. Safe on every thread.
int ctss2_load(void);

#endif
#endif
