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
 * The directory with all data of a node, claimed by one process at a time. It records the format of the data, the
 * cluster's id and this store's id.
 *
 * <p>Steps of the first start, and what a crash leaves:
 *
 * <ol>
 *   <li>{@link #claim}: the directory is created and made durable with its parents; a crash leaves it empty, and the
 *       next start goes on
 *   <li>{@code LOCK} is created and locked; the directory still counts as empty
 *   <li>a node in a cluster learns from the members which cluster it belongs to, or that it is refused; nothing is
 *       written meanwhile
 *   <li>{@code FOUNDING} is written if the node begins the cluster and so must make its stores; if it joins one, a
 *       leftover is deleted. The directory still counts as empty. The file is deleted when the node has noted in its
 *       log that it is the founder ({@link #founded})
 *   <li>{@link Claim#open}: {@code FORMAT.new} is written and fsynced; the directory still counts as empty, and a
 *       leftover is overwritten
 *   <li>{@code FORMAT.new} is renamed to {@code FORMAT} and the directory fsynced; from here on the ids stay
 *   <li>{@code INCARNATION} is replaced in the same way, in a cluster at each start that finds {@code FORMAT}, before
 *       anything is announced to other nodes. If it is missing beside {@code FORMAT}, the last incarnation was 1, that
 *       of the start that wrote {@code FORMAT}
 * </ol>
 *
 * <p>No data is written before {@code FORMAT} is there. So a directory with the log or a store but without
 * {@code FORMAT} has lost it, and is refused. Other files ({@code lost+found} of a mounted disk, a directory of log
 * files) do not count as data.
 *
 * <pre>
 * FORMAT, text with a checksum (ChecksummedText):
 *   godwit data
 *   format=1
 *   cluster=(UUID)
 *   store=(UUID)
 * INCARNATION, in the same form:
 *   (number)
 * </pre>
 */
public final class DataDirectory implements AutoCloseable {
    /** The format that this release writes, and the newest that it reads. */
    public static final int FORMAT = 1;

    private static final String TITLE = "godwit data";
    private static final String FORMAT_FILE = "FORMAT";
    private static final String LOCK_FILE = "LOCK";
    private static final String INCARNATION_FILE = "INCARNATION";
    private static final String FOUNDING_FILE = "FOUNDING";
    /**
     * Names that only a directory with data has. Directories of stores, which contain directories of ranges, count too.
     */
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
     * Whether {@code directory} has no data of a node, so that {@link #open} would create some. True also if it does
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

    /** Whether a node or a restore has used {@code directory} as its data directory. */
    public static boolean isOne(Path directory) {
        return Files.exists(directory.resolve(LOCK_FILE)) || Files.exists(directory.resolve(FORMAT_FILE));
    }

    /** @throws IOException if this or another process has claimed {@code directory} */
    public static void checkUnclaimed(Path directory) throws IOException {
        lock(directory).close();
    }

    private static boolean isData(Path file) throws IOException {
        if (DATA.contains(String.valueOf(file.getFileName()))) {
            return true;
        }
        if (!Files.isDirectory(file) || !Files.isReadable(file)) { // lost+found can be read by root only
            return false;
        }
        try (DirectoryStream<Path> ranges = Files.newDirectoryStream(file, RANGE_DIRECTORIES)) {
            return ranges.iterator().hasNext();
        }
    }

    /**
     * Claims {@code directory} until it is closed. If it has no data, creates a new cluster with new ids in it.
     *
     * @throws DamagedDataException if {@code FORMAT} is missing beside data, is damaged, or is newer than
     *     {@link #FORMAT}
     * @throws IOException if this or another process has claimed it, or if it cannot be used
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
     * Claims {@code directory} and reads its ids. A directory without data stays without until {@link Claim#open}.
     *
     * @throws IOException like {@link #open}
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

    /** A claimed directory whose cluster may not be known yet. Confined to one thread. */
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

        /** The cluster that the data belongs to; empty if there is no data. */
        public Optional<UUID> clusterId() {
            return found == null ? Optional.empty() : Optional.of(found.clusterId());
        }

        /** The id of the store: that of the data, or a new one if there is no data. */
        public UUID storeId() {
            return storeId;
        }

        /**
         * A number higher than that of every earlier process on this data. Call once per process, before {@link #open}.
         *
         * @throws DamagedDataException if the last number cannot be read
         */
        public long nextIncarnation() throws IOException {
            if (found == null) {
                return FIRST_INCARNATION; // FORMAT without INCARNATION stands for it
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

        /** Like {@link #open(UUID, boolean)}, for a node that does not begin a cluster. */
        public DataDirectory open(UUID clusterId) throws IOException {
            return open(clusterId, false);
        }

        /**
         * Opens the data, or writes the ids if there is no data. The returned object takes over the claim.
         *
         * @param isFounding whether this node begins the cluster; ignored if there is data
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

        /** Releases the claim. Must not be called after {@link #open}. */
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
            // checked before the checksum, which a newer release may have moved
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

    /** The id of the cluster that this data belongs to; the same on all its nodes. */
    public UUID clusterId() {
        return clusterId;
    }

    /** The id of this node's store; no other node has the same. */
    public UUID storeId() {
        return storeId;
    }

    /** Whether the directory had no data before, so that {@link #open} has created the ids. */
    public boolean isFresh() {
        return fresh;
    }

    /** Whether this or an earlier process has begun the cluster and {@link #founded} was not called since. */
    public boolean isFounding() {
        return Files.exists(path.resolve(FOUNDING_FILE));
    }

    /** Called when the node has noted elsewhere that it is the founder. */
    public void founded() throws IOException {
        if (Files.deleteIfExists(path.resolve(FOUNDING_FILE))) {
            DurableFiles.syncDirectory(path);
        }
    }

    /** Releases the claim. The lock is held through the open file; the file itself stays. */
    @Override
    public void close() throws IOException {
        lockFile.close();
    }
}
