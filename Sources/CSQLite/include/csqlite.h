/* SQLite for Swift. It is opened when it is first needed.

   Each function calls the one of the same name with the prefix `sqlite3_` instead of `ledger_`; see
   https://www.sqlite.org/c3ref/funclist.html for arguments and results. The names differ because libraries of plugins
   look for SQLite's own. */
#ifndef RESPOOL_CSQLITE_H
#define RESPOOL_CSQLITE_H
#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

/* Opens SQLite at the first call and returns the reason why it cannot be used; NULL if it can be used. The other
   functions may be called only after this has returned NULL. The text is valid until the process ends. Any thread. */
const char *ledger_sqlite_missing(void);

int ledger_open_v2(const char *name, sqlite3 **database, int flags);
int ledger_close_v2(sqlite3 *database);
int ledger_exec(sqlite3 *database, const char *sql);
int ledger_busy_timeout(sqlite3 *database, int milliseconds);
const char *ledger_errmsg(sqlite3 *database);
const char *ledger_errstr(int code);
int ledger_prepare_v3(sqlite3 *database, const char *sql, sqlite3_stmt **statement);
int ledger_finalize(sqlite3_stmt *statement);
int ledger_step(sqlite3_stmt *statement);
int ledger_reset(sqlite3_stmt *statement);
int ledger_clear_bindings(sqlite3_stmt *statement);
int ledger_bind_int64(sqlite3_stmt *statement, int index, int64_t value);
int ledger_bind_double(sqlite3_stmt *statement, int index, double value);
/* The bytes are copied. */
int ledger_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, size_t count);
int ledger_column_type(sqlite3_stmt *statement, int index);
int64_t ledger_column_int64(sqlite3_stmt *statement, int index);
double ledger_column_double(sqlite3_stmt *statement, int index);
const void *ledger_column_blob(sqlite3_stmt *statement, int index);
int ledger_column_bytes(sqlite3_stmt *statement, int index);
int64_t ledger_last_insert_rowid(sqlite3 *database);

#endif
