package io.godwit.broker.check;

import io.godwit.kv.disk.DataDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Refuses a data directory with files of somebody else, such as after a typo in {@code --data}. */
public final class ForeignData {
    /** Names left by an interrupted first start, and {@code lost+found} of a mounted disk. */
    private static final Set<String> OURS = Set.of("LOCK", "FORMAT.new", "FOUNDING", "FOUNDING.new", "lost+found");

    private static final int SHOWN = 5;

    private ForeignData() {}

    /**
     * Accepts a directory that holds the data of a broker, one that does not exist, and one that holds only hidden
     * files, files of the start script and the log.
     *
     * @param log the directory of the log, which may lie within; null if unknown
     * @throws IOException naming some of the foreign files
     */
    public static void refuse(Path data, @Nullable Path log) throws IOException {
        if (!Files.isDirectory(data) || !DataDirectory.isEmpty(data)) {
            return;
        }
        Path ofLog = log == null ? null : log.toAbsolutePath().normalize();
        List<String> foreign;
        try (Stream<Path> entries = Files.list(data.toAbsolutePath().normalize())) {
            foreign = entries.filter(entry -> ofLog == null || !ofLog.startsWith(entry))
                    .map(entry -> Objects.toString(entry.getFileName()))
                    .filter(name -> !OURS.contains(name) && !name.startsWith(".") && !name.startsWith("godwit."))
                    .sorted()
                    .toList();
        }
        if (!foreign.isEmpty()) {
            String more = foreign.size() > SHOWN ? " and " + (foreign.size() - SHOWN) + " more" : "";
            throw new IOException("the data directory " + data + " holds no data of a broker, but "
                    + String.join(", ", foreign.subList(0, Math.min(SHOWN, foreign.size()))) + more
                    + ": name an empty or new directory");
        }
    }
}
