package io.godwit.it.kv.fault;

import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A disk that can be filled without harm to anybody else: a file system of some size in a file, mounted through a loop
 * device, or where that is not to be had in memory. Needs root. Used by one thread at a time.
 */
public final class SmallDisk implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SmallDisk.class);

    /** Kept back from what is reserved at once, for what others write meanwhile. */
    private static final long SLACK_BYTES = 4 << 20;

    private static final int BLOCK_BYTES = 4 << 10;

    private final Path root;
    private final Path image;
    private final String kind;
    private final Thread atExit = new Thread(this::unmountQuietly, "unmount");
    private boolean isClosed;

    private SmallDisk(Path root, Path image, String kind) {
        this.root = root;
        this.image = image;
        this.kind = kind;
    }

    /**
     * @param directory made here, and deleted in the end
     * @throws IOException why this machine does not let us; nothing is left then
     */
    public static SmallDisk make(Path directory, long bytes) throws IOException {
        Files.createDirectories(directory);
        Path image = directory.resolveSibling(directory.getFileName() + ".img");
        String kind;
        try {
            try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
                file.setLength(bytes); // takes no room until it is written
            }
            Command.run("mkfs.ext4", "-q", "-F", "-m", "0", image.toString());
            Command.run("mount", "-o", "loop", image.toString(), directory.toString());
            kind = "ext4 on a loop device";
        } catch (IOException e) {
            LOG.info("no loop device, a file system in memory instead: {}", e.getMessage());
            Files.deleteIfExists(image);
            Command.run("mount", "-t", "tmpfs", "-o", "size=" + bytes, "godwit-test", directory.toString());
            kind = "tmpfs";
        }
        SmallDisk disk = new SmallDisk(directory, image, kind);
        Runtime.getRuntime().addShutdownHook(disk.atExit);
        return disk;
    }

    public String describe() {
        return kind + " at " + root;
    }

    public Path root() {
        return root;
    }

    public long freeBytes() throws IOException {
        return Files.getFileStore(root).getUsableSpace();
    }

    /** Takes all room but so much; whoever uses the disk at the same time may get in between. */
    public void fill(long leaveBytes) throws IOException {
        long bytes = freeBytes() - leaveBytes - SLACK_BYTES;
        if (bytes > 0) {
            // reserves blocks, which a sparse file of that length would not
            Command.run("fallocate", "-l", Long.toString(bytes), filler().toString());
        }
        if (leaveBytes == 0) {
            fillUp();
        }
    }

    /** Writes until there is no room. */
    private void fillUp() {
        try (OutputStream out = Files.newOutputStream(filler("2"))) {
            byte[] zeros = new byte[BLOCK_BYTES];
            for (long written = 0; written < 2 * SLACK_BYTES; written += BLOCK_BYTES) {
                out.write(zeros);
            }
        } catch (IOException e) {
            LOG.debug("full", e);
        }
    }

    public void empty() throws IOException {
        Files.deleteIfExists(filler());
        Files.deleteIfExists(filler("2"));
    }

    private Path filler() {
        return filler("");
    }

    private Path filler(String number) {
        return root.resolve("filler" + number);
    }

    /** What lies on it is lost. Nobody must use it any more. */
    @Override
    public void close() throws IOException {
        if (isClosed) {
            return;
        }
        isClosed = true;
        unmount();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            LOG.debug("the JVM ends", e);
        }
    }

    /** Lazily where somebody still holds a file: it goes when that one does. */
    private void unmount() throws IOException {
        try {
            Command.run("umount", root.toString());
        } catch (IOException e) {
            Command.run("umount", "--lazy", root.toString());
        }
        Files.deleteIfExists(image);
        Files.deleteIfExists(root);
    }

    private void unmountQuietly() {
        try {
            unmount();
        } catch (IOException e) {
            LOG.warn("{} stays mounted", root, e);
        }
    }
}
