extension Ledger {
  /// Number in the header of the file by which tools recognise the format (`PRAGMA application_id`): "Rspl".
  static let applicationID = 0x5273_706C
  /// Version of the tables (`PRAGMA user_version`).
  static let version = 5

  /// Indexes of replaced files, which are few or all.
  private static let replacementIndexes = """
    CREATE INDEX unfinished ON files(id) WHERE temporary IS NOT NULL;
    CREATE INDEX replaced ON files(out_size) WHERE state = 2;
    """

  /// Statements that change a ledger of a version to the next one.
  static func migration(from version: Int64) -> String? {
    switch version {
    case 1: migrationFromVersion1
    case 2: migrationFromVersion2
    case 3: migrationFromVersion3
    case 4: migrationFromVersion4
    default: nil
    }
  }

  /// Adds columns for sources that were replaced by their outputs, and for the threads of batches.
  private static let migrationFromVersion1 = """
    ALTER TABLE files ADD COLUMN state INTEGER;
    ALTER TABLE files ADD COLUMN kept_folder INTEGER;
    ALTER TABLE files ADD COLUMN kept_name BLOB;
    ALTER TABLE files ADD COLUMN temporary BLOB;
    ALTER TABLE runs ADD COLUMN workers INTEGER;
    ALTER TABLE runs ADD COLUMN threads INTEGER;
    \(replacementIndexes)
    PRAGMA user_version = 2;
    """

  /// Adds totals of incomplete sources and of outputs with losses, and the hours of batches.
  private static let migrationFromVersion2 = """
    ALTER TABLE totals ADD COLUMN incomplete INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE totals ADD COLUMN lossy INTEGER NOT NULL DEFAULT 0;
    UPDATE totals SET
      incomplete = (SELECT count(*) FROM files WHERE files.result = totals.result AND incomplete = 1),
      lossy = (SELECT count(losses) FROM files WHERE files.result = totals.result);
    ALTER TABLE runs ADD COLUMN hours BLOB;
    DROP TRIGGER added;
    DROP TRIGGER removed;
    \(triggers)
    \(incompleteIndex)
    PRAGMA user_version = 3;
    """

  /// Adds indexes of outputs that were found without an entry, and of sources by their times.
  private static let migrationFromVersion3 = """
    CREATE INDEX IF NOT EXISTS found ON files(result) WHERE attempts = 0;
    \(timeIndex)
    PRAGMA user_version = 4;
    """

  /// Adds an index of outputs that have no names yet, and sums.
  private static let migrationFromVersion4 = """
    \(unpublishedIndex)
    ALTER TABLE files ADD COLUMN sum INTEGER;
    PRAGMA user_version = 5;
    """

  private static let unpublishedIndex =
    "CREATE INDEX unpublished ON files(result) WHERE \(isUnpublished);"

  /// Condition for the entries of results whose outputs are getting their names, or were when a batch was killed.
  static let isUnpublished = "published <> 1 AND result < 2"

  /// Sources that may be renamed; one that was replaced has its output in its place.
  private static let timeIndex = """
    CREATE INDEX by_time ON files(modified, size) WHERE out_name IS NOT NULL AND state IS NULL;
    """

  private static let incompleteIndex =
    "CREATE INDEX incomplete ON files(id) WHERE incomplete = 1;"

  /// Keep `totals`, so that the state of a million files is known at once.
  private static let triggers = """
    CREATE TRIGGER added AFTER INSERT ON files BEGIN
      UPDATE totals SET files = files + 1, size = size + new.size,
        out_size = out_size + ifnull(new.out_size, 0), seconds = seconds + new.seconds,
        incomplete = incomplete + new.incomplete, lossy = lossy + (new.losses IS NOT NULL)
        WHERE result = new.result;
    END;
    CREATE TRIGGER removed AFTER DELETE ON files BEGIN
      UPDATE totals SET files = files - 1, size = size - old.size,
        out_size = out_size - ifnull(old.out_size, 0), seconds = seconds - old.seconds,
        incomplete = incomplete - old.incomplete, lossy = lossy - (old.losses IS NOT NULL)
        WHERE result = old.result;
    END;
    """

  /// Tables of a new ledger.
  ///
  /// `words` holds each text once: folders, presets, plugins, reasons, losses. Paths are bytes, because they need not
  /// be UTF-8. Times are nanoseconds since 1970. `out_size` without a name is that of an output that was removed
  /// because it was too large. With a name, a file that has failed or was skipped has the output of an earlier result
  /// (``LedgerEntry/formerOutput``). `state`, `kept_folder`, `kept_name` and `temporary` are those of a ``ReplacedFile``; an
  /// original without `kept_name` has the name of its source. `ended` of a batch is 0 if it was killed and a later one
  /// has removed what it left. `workers` is the greatest number of workers of a batch, and `threads` that of the
  /// threads of each. `hours` is the text of the ``DayHours`` in which a batch may work. `sum` is ``LedgerEntry/sum``, which
  /// entries of earlier versions lack.
  static let schema = """
    PRAGMA application_id = \(applicationID);
    PRAGMA user_version = \(version);
    CREATE TABLE words(id INTEGER PRIMARY KEY, text BLOB NOT NULL UNIQUE);
    CREATE TABLE files(
      id INTEGER PRIMARY KEY,
      folder INTEGER NOT NULL, name BLOB NOT NULL, size INTEGER NOT NULL, modified INTEGER NOT NULL,
      inode INTEGER NOT NULL, changed INTEGER, mark BLOB,
      preset INTEGER NOT NULL, plugins INTEGER NOT NULL, attempts INTEGER NOT NULL,
      result INTEGER NOT NULL, reason INTEGER, losses INTEGER, incomplete INTEGER NOT NULL,
      seconds REAL NOT NULL,
      out_folder INTEGER, out_name BLOB, out_size INTEGER, out_modified INTEGER,
      out_changed INTEGER, out_mark BLOB, published INTEGER,
      state INTEGER, kept_folder INTEGER, kept_name BLOB, temporary BLOB, sum INTEGER,
      UNIQUE(folder, name, preset));
    \(replacementIndexes)
    CREATE INDEX by_output ON files(out_folder, out_name) WHERE out_name IS NOT NULL;
    CREATE INDEX by_inode ON files(inode);
    CREATE INDEX failed ON files(result) WHERE result = 3;
    \(incompleteIndex)
    CREATE INDEX found ON files(result) WHERE attempts = 0;
    \(timeIndex)
    \(unpublishedIndex)
    CREATE TABLE totals(
      result INTEGER PRIMARY KEY, files INTEGER NOT NULL, size INTEGER NOT NULL,
      out_size INTEGER NOT NULL, seconds REAL NOT NULL,
      incomplete INTEGER NOT NULL, lossy INTEGER NOT NULL);
    INSERT INTO totals SELECT value, 0, 0, 0, 0, 0, 0 FROM (
      SELECT 0 AS value UNION SELECT 1 UNION SELECT 2 UNION SELECT 3);
    \(triggers)
    CREATE TABLE runs(
      id INTEGER PRIMARY KEY, started INTEGER NOT NULL, ended INTEGER, preset BLOB NOT NULL,
      converted INTEGER, copied INTEGER, skipped INTEGER, failed INTEGER, unfinished INTEGER,
      workers INTEGER, threads INTEGER, hours BLOB);
    """
}
