#ifndef CSECRET_H
#define CSECRET_H

// libsecret and the GLib under it are loaded when first used, not linked: see CSecret.c.
#if defined(__linux__)

/// Loads the libraries; returns 0, or -1 where they are not installed. Safe on every thread.
int csecret_load(void);

#endif
#endif
