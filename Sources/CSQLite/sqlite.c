/* Definitions of the SQLite functions that Respool uses. */
#include "csqlite.h"

#include <pthread.h>

#include "linux_calls.h"

static struct {
  __typeof__(&sqlite3_open_v2) open_v2;
  __typeof__(&sqlite3_close_v2) close_v2;
  __typeof__(&sqlite3_exec) exec;
  __typeof__(&sqlite3_busy_timeout) busy_timeout;
  __typeof__(&sqlite3_errmsg) errmsg;
  __typeof__(&sqlite3_errstr) errstr;
  __typeof__(&sqlite3_prepare_v3) prepare_v3;
  __typeof__(&sqlite3_finalize) finalize;
  __typeof__(&sqlite3_step) step;
  __typeof__(&sqlite3_reset) reset;
  __typeof__(&sqlite3_clear_bindings) clear_bindings;
  __typeof__(&sqlite3_bind_int64) bind_int64;
  __typeof__(&sqlite3_bind_double) bind_double;
  __typeof__(&sqlite3_bind_blob64) bind_blob64;
  __typeof__(&sqlite3_column_type) column_type;
  __typeof__(&sqlite3_column_int64) column_int64;
  __typeof__(&sqlite3_column_double) column_double;
  __typeof__(&sqlite3_column_blob) column_blob;
  __typeof__(&sqlite3_column_bytes) column_bytes;
  __typeof__(&sqlite3_last_insert_rowid) last_insert_rowid;
} sqlite;

static const char *const names[] = {
    "sqlite3_open_v2",     "sqlite3_close_v2",      "sqlite3_exec",         "sqlite3_busy_timeout",
    "sqlite3_errmsg",      "sqlite3_errstr",        "sqlite3_prepare_v3",   "sqlite3_finalize",
    "sqlite3_step",        "sqlite3_reset",         "sqlite3_clear_bindings", "sqlite3_bind_int64",
    "sqlite3_bind_double", "sqlite3_bind_blob64",   "sqlite3_column_type",  "sqlite3_column_int64",
    "sqlite3_column_double", "sqlite3_column_blob", "sqlite3_column_bytes",
    "sqlite3_last_insert_rowid"};
static const char *failure;

static void open_library(void) {
  _Static_assert(sizeof sqlite == sizeof names, "a name to each function");
  failure = linux_open_functions(
      "libsqlite3.so.0", names, (void **)&sqlite, sizeof names / sizeof *names);
}

const char *ledger_sqlite_missing(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_library);
  return failure;
}

int ledger_open_v2(const char *name, sqlite3 **database, int flags) {
  return sqlite.open_v2(name, database, flags, NULL);
}

int ledger_close_v2(sqlite3 *database) { return sqlite.close_v2(database); }

int ledger_exec(sqlite3 *database, const char *sql) {
  return sqlite.exec(database, sql, NULL, NULL, NULL);
}

int ledger_busy_timeout(sqlite3 *database, int milliseconds) {
  return sqlite.busy_timeout(database, milliseconds);
}

const char *ledger_errmsg(sqlite3 *database) { return sqlite.errmsg(database); }

const char *ledger_errstr(int code) { return sqlite.errstr(code); }

int ledger_prepare_v3(sqlite3 *database, const char *sql, sqlite3_stmt **statement) {
  return sqlite.prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
}

int ledger_finalize(sqlite3_stmt *statement) { return sqlite.finalize(statement); }

int ledger_step(sqlite3_stmt *statement) { return sqlite.step(statement); }

int ledger_reset(sqlite3_stmt *statement) { return sqlite.reset(statement); }

int ledger_clear_bindings(sqlite3_stmt *statement) { return sqlite.clear_bindings(statement); }

int ledger_bind_int64(sqlite3_stmt *statement, int index, int64_t value) {
  return sqlite.bind_int64(statement, index, value);
}

int ledger_bind_double(sqlite3_stmt *statement, int index, double value) {
  return sqlite.bind_double(statement, index, value);
}

int ledger_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, size_t count) {
  /* A null pointer would bind NULL instead of no bytes. */
  return sqlite.bind_blob64(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

int ledger_column_type(sqlite3_stmt *statement, int index) {
  return sqlite.column_type(statement, index);
}

int64_t ledger_column_int64(sqlite3_stmt *statement, int index) {
  return sqlite.column_int64(statement, index);
}

double ledger_column_double(sqlite3_stmt *statement, int index) {
  return sqlite.column_double(statement, index);
}

const void *ledger_column_blob(sqlite3_stmt *statement, int index) {
  return sqlite.column_blob(statement, index);
}

int ledger_column_bytes(sqlite3_stmt *statement, int index) {
  return sqlite.column_bytes(statement, index);
}

int64_t ledger_last_insert_rowid(sqlite3 *database) { return sqlite.last_insert_rowid(database); }
