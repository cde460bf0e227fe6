package io.godwit.kv.range.data;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The files of a range's snapshot: a checkpoint of its database, in a directory. */
public final class SnapshotFiles {
    public static final String DATABASE = "db";

    private SnapshotFiles() {}

    /** The names, within the snapshot, of the files of its checkpoint. */
    public static List<String> in(Path checkpoint) throws IOException {
        try (Stream<Path> files = Files.list(checkpoint)) {
            return files.map(file -> DATABASE + "/" + file.getFileName()).toList();
        }
    }
}
