#ifndef CSQLCIPHER_H
#define CSQLCIPHER_H

#include <sqlcipher/sqlite3.h>

#endif
