#ifndef CKEYUTILS_H
#define CKEYUTILS_H

// libkeyutils is loaded when first used, not linked: see CKeyutils.c.
#if defined(__linux__)

/// Loads the library; returns 0, or -1 where it is not installed. Safe on every thread.
int ckeyutils_load(void);

#endif
#endif
