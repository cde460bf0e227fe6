package io.godwit.kv.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The directory that holds all a node keeps, claimed by one process at a time. Says of what format the data is and
 * whose: the cluster's id and this store's.
 *
 * <p>First start, in order, with what a crash in between leaves:
 *
 * <ol>
 *   <li>{@link #claim}: the directory, made durable with its parents; a crash leaves it empty, the next start goes on
 *   <li>{@code LOCK}, locked; it counts as empty
 *   <li>a node of a cluster now learns from the members which cluster it is to belong to, or that it may not; nothing
 *       is written meanwhile
 *   <li>{@code FOUNDING}, where the node begins the cluster and so has to make its stores; where it joins one, a
 *       leftover of it is deleted. It counts as empty too, and is deleted when the node has noted in its log that it is
 *       the founder ({@link #founded})
 *   <li>{@link Claim#open}: {@code FORMAT.new}, written and fsynced; it counts as empty too, and is overwritten
 *   <li>{@code FORMAT.new} renamed to {@code FORMAT}, the directory fsynced; from here on the ids stay
 *   <li>{@code INCARNATION}, replaced in the same way, in a cluster at each start that finds {@code FORMAT}, before
 *       anything is announced to other nodes. Missing beside {@code FORMAT}, the last one was 1, which is that of the
 *       start that wrote {@code FORMAT}
 * </ol>
 *
 * <p>Nobody gets the directory, and so nobody puts data into it, before {@code FORMAT} is there. A directory with the
 * log or a store and without {@code FORMAT} is therefore one that has lost it, and is refused. What others put there
 * ({@code lost+found} of a mounted disk, a directory of log files) is none of our data.
 *
 * <pre>
 * FORMAT, text with a checksum (ChecksummedText):
 *   godwit data
 *   format=1
 *   cluster=(UUID)
 *   store=(UUID)
 * INCARNATION, likewise:
 *   (number)
 * </pre>
 */
public final class DataDirectory implements AutoCloseable {
    /** The format this release writes, and the newest it reads. */
    public static final int FORMAT = 1;

    private static final String TITLE = "godwit data";
    private static final String FORMAT_FILE = "FORMAT";
    private static final String LOCK_FILE = "LOCK";
    private static final String INCARNATION_FILE = "INCARNATION";
    private static final String FOUNDING_FILE = "FOUNDING";
    /** What only a directory with data has; beside them directories of stores, which hold directories of ranges. */
    private static final List<String> DATA =
            List.of(FORMAT_FILE, INCARNATION_FILE, "STORES", "raft-log", "raft-log.synced");

    private static final String RANGE_DIRECTORIES = "range-*";
    private static final long FIRST_INCARNATION = 1;

    private final Path path;
    private final FileChannel lockFile;
    private final UUID clusterId;
    private final UUID storeId;
    private final boolean fresh;

    private DataDirectory(Path path, FileChannel lockFile, Identity identity, boolean fresh) {
        this.path = path;
        this.lockFile = lockFile;
        this.clusterId = identity.clusterId();
        this.storeId = identity.storeId();
        this.fresh = fresh;
    }

    private record Identity(UUID clusterId, UUID storeId) {}

    /**
     * Whether {@code directory} holds no data of a node, so that opening it would begin anew. True also when it does
     * not exist.
     */
    public static boolean isEmpty(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return true;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                if (isData(file)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Whether a node, or a restore, has used {@code directory} as its data directory. */
    public static boolean isOne(Path directory) {
        return Files.exists(directory.resolve(LOCK_FILE)) || Files.exists(directory.resolve(FORMAT_FILE));
    }

    /** @throws IOException when another process, or this one, has claimed {@code directory} */
    public static void checkUnclaimed(Path directory) throws IOException {
        lock(directory).close();
    }

    private static boolean isData(Path file) throws IOException {
        if (DATA.contains(String.valueOf(file.getFileName()))) {
            return true;
        }
        if (!Files.isDirectory(file) || !Files.isReadable(file)) { // lost+found is the superuser's
            return false;
        }
        try (DirectoryStream<Path> ranges = Files.newDirectoryStream(file, RANGE_DIRECTORIES)) {
            return ranges.iterator().hasNext();
        }
    }

    /**
     * Claims {@code directory} until it is closed, and creates it with new ids when it holds no data: a cluster of its
     * own.
     *
     * @throws DamagedDataException when its {@code FORMAT} is missing beside data, damaged, or newer than
     *     {@link #FORMAT}
     * @throws IOException when another process, or this one, has claimed it, or it cannot be used
     */
    public static DataDirectory open(Path directory) throws IOException {
        Claim claim = claim(directory);
        try {
            return claim.open(claim.clusterId().orElseGet(UUID::randomUUID));
        } catch (IOException | RuntimeException e) {
            claim.close();
            throw e;
        }
    }

    /**
     * Claims {@code directory} and looks whose it is; one without data stays so until {@link Claim#open}.
     *
     * @throws IOException as {@link #open}
     */
    public static Claim claim(Path directory) throws IOException {
        DurableFiles.createDirectories(directory);
        FileChannel lockFile = lock(directory);
        try {
            @Nullable Identity found = read(directory.resolve(FORMAT_FILE));
            if (found == null && !isEmpty(directory)) {
                throw new DamagedDataException(directory.resolve(FORMAT_FILE), "missing, though there is other data");
            }
            return new Claim(directory, lockFile, found);
        } catch (IOException | RuntimeException e) {
            lockFile.close();
            throw e;
        }
    }

    /**
     * A directory that no other process can use, before it is known which cluster it is to belong to. For one thread.
     */
    public static final class Claim implements AutoCloseable {
        private final Path path;
        private final FileChannel lockFile;
        private final @Nullable Identity found;
        private final UUID storeId;

        private Claim(Path path, FileChannel lockFile, @Nullable Identity found) {
            this.path = path;
            this.lockFile = lockFile;
            this.found = found;
            this.storeId = found == null ? UUID.randomUUID() : found.storeId();
        }

        /** The cluster that the data belongs to; empty when there is no data. */
        public Optional<UUID> clusterId() {
            return found == null ? Optional.empty() : Optional.of(found.clusterId());
        }

        /** The id of the data, or what it is going to be. */
        public UUID storeId() {
            return storeId;
        }

        /**
         * A number higher than that of every earlier process on this data. Call once for a process, before
         * {@link #open}.
         *
         * @throws DamagedDataException if the last one cannot be read
         */
        public long nextIncarnation() throws IOException {
            if (found == null) {
                return FIRST_INCARNATION; // which FORMAT without another stands for
            }
            Path file = path.resolve(INCARNATION_FILE);
            long last = FIRST_INCARNATION;
            if (Files.exists(file)) {
                String text = ChecksummedText.open(file, Files.readAllBytes(file));
                try {
                    last = Long.parseLong(text.strip());
                } catch (NumberFormatException e) {
                    throw new DamagedDataException(file, "holds no number", e);
                }
            }
            writeIncarnation(path, last + 1);
            return last + 1;
        }

        /** As {@link #open(UUID, boolean)}, for a node that does not begin a cluster with others. */
        public DataDirectory open(UUID clusterId) throws IOException {
            return open(clusterId, false);
        }

        /**
         * Opens the data, or gives the directory its ids; the claim passes to what is returned.
         *
         * @param isFounding whether this node begins the cluster; means nothing where there is data
         * @throws IllegalArgumentException if the data belongs to another cluster
         */
        public DataDirectory open(UUID clusterId, boolean isFounding) throws IOException {
            if (found != null) {
                if (!found.clusterId().equals(clusterId)) {
                    throw new IllegalArgumentException(
                            "data of cluster " + found.clusterId() + " opened for cluster " + clusterId);
                }
                return new DataDirectory(path, lockFile, found, false);
            }
            Identity identity = new Identity(clusterId, storeId);
            if (isFounding) {
                DurableFiles.replace(path.resolve(FOUNDING_FILE), new byte[0]);
            } else if (Files.deleteIfExists(path.resolve(FOUNDING_FILE))) {
                DurableFiles.syncDirectory(path);
            }
            DurableFiles.replace(path.resolve(FORMAT_FILE), write(identity));
            return new DataDirectory(path, lockFile, identity, true);
        }

        /** Gives the directory up. Not after {@link #open}. */
        @Override
        public void close() throws IOException {
            lockFile.close();
        }
    }

    private static void writeIncarnation(Path path, long incarnation) throws IOException {
        DurableFiles.replace(path.resolve(INCARNATION_FILE), ChecksummedText.seal(incarnation + "\n"));
    }

    private static FileChannel lock(Path directory) throws IOException {
        Path file = directory.resolve(LOCK_FILE);
        FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            @Nullable FileLock lock = channel.tryLock();
            if (lock == null) {
                throw new IOException("data directory " + directory + " is in use by process " + holder(channel)
                        + ", which has locked " + file);
            }
            channel.truncate(0);
            channel.write(
                    ByteBuffer.wrap(Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)));
            return channel;
        } catch (OverlappingFileLockException e) {
            channel.close();
            throw new IOException(
                    "data directory " + directory + " is in use by this process, which has locked " + file, e);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    private static String holder(FileChannel channel) throws IOException {
        ByteBuffer pid = ByteBuffer.allocate(20);
        channel.read(pid, 0);
        String text = new String(pid.array(), 0, pid.position(), StandardCharsets.US_ASCII);
        return text.isEmpty() ? "(unknown)" : text;
    }

    private static @Nullable Identity read(Path file) throws IOException {
        byte[] content;
        try {
            content = Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            return null;
        }
        List<String> lines =
                new String(content, StandardCharsets.ISO_8859_1).lines().toList();
        if (lines.size() < 2 || !lines.get(0).equals(TITLE)) {
            throw new DamagedDataException(file, "does not begin with \"" + TITLE + "\"");
        }
        int format;
        try {
            format = Integer.parseInt(value(file, lines, 1, "format"));
        } catch (NumberFormatException e) {
            throw new DamagedDataException(file, "no format number in line 2", e);
        }
        if (format > FORMAT) {
            // before the checksum: a newer release may have put it elsewhere
            throw DamagedDataException.newer(file, "format " + format, FORMAT);
        }
        if (format < 1) {
            throw new DamagedDataException(file, "format " + format + ", expected 1 to " + FORMAT);
        }
        try {
            Identity identity = new Identity(
                    UUID.fromString(value(file, lines, 2, "cluster")), UUID.fromString(value(file, lines, 3, "store")));
            if (!Arrays.equals(content, write(identity))) {
                throw new DamagedDataException(file, "checksum does not match");
            }
            return identity;
        } catch (IllegalArgumentException e) {
            throw new DamagedDataException(file, "an id is not a UUID", e);
        }
    }

    private static String value(Path file, List<String> lines, int line, String key) throws DamagedDataException {
        if (lines.size() <= line || !lines.get(line).startsWith(key + "=")) {
            throw new DamagedDataException(file, "no " + key + " in line " + (line + 1));
        }
        return lines.get(line).substring(key.length() + 1);
    }

    private static byte[] write(Identity identity) {
        return ChecksummedText.seal(TITLE + "\nformat=" + FORMAT + "\ncluster=" + identity.clusterId() + "\nstore="
                + identity.storeId() + "\n");
    }

    public Path path() {
        return path;
    }

    /** The cluster this data belongs to; the same on all its nodes. */
    public UUID clusterId() {
        return clusterId;
    }

    /** This node's store; no other node has the same. */
    public UUID storeId() {
        return storeId;
    }

    /** Whether this call of {@link #open} gave the ids: the directory held no data before. */
    public boolean isFresh() {
        return fresh;
    }

    /** Whether this node has begun the cluster and {@link #founded} was not called yet, be it by an earlier process. */
    public boolean isFounding() {
        return Files.exists(path.resolve(FOUNDING_FILE));
    }

    /** The node has noted elsewhere that it is the founder. */
    public void founded() throws IOException {
        if (Files.deleteIfExists(path.resolve(FOUNDING_FILE))) {
            DurableFiles.syncDirectory(path);
        }
    }

    /** Gives the directory back to the next process. The lock is on the open file; the file itself stays. */
    @Override
    public void close() throws IOException {
        lockFile.close();
    }
}
