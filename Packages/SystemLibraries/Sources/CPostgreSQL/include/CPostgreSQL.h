#ifndef CPOSTGRESQL_H
#define CPOSTGRESQL_H

// Debian keeps the header in a folder of its own; elsewhere that folder is on the search path.
#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif

/// The field codes of `PQresultErrorField`, which are macros of character constants.
enum {
  cpostgresql_sqlstate = PG_DIAG_SQLSTATE,
  cpostgresql_message = PG_DIAG_MESSAGE_PRIMARY
};

#endif
