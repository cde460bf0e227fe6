package io.godwit.api.auth;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks that only root and the broker's own user may change a file: who changes it is an administrator. Blocks. */
final class FileOwner {
    private static final Logger LOG = LoggerFactory.getLogger(FileOwner.class);
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final int ROOT = 0;

    private FileOwner() {}

    /**
     * Does nothing where files have no owners and permissions.
     *
     * @throws IOException when others may change the file, or when it cannot be read
     */
    static void require(Path file) throws IOException {
        PosixFileAttributes attributes;
        int owner;
        try {
            attributes = Files.readAttributes(file, PosixFileAttributes.class);
            owner = (Integer) Files.getAttribute(file, "unix:uid");
        } catch (UnsupportedOperationException | IllegalArgumentException e) {
            LOG.debug("owner not known file={}", file, e);
            return;
        }
        if (attributes.permissions().contains(PosixFilePermission.GROUP_WRITE)
                || attributes.permissions().contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new IOException(
                    "others than its owner may change " + file + ": \"chmod go-w " + file + "\" bars them");
        }
        OptionalInt own = ownUser();
        if (owner != ROOT && own.isPresent() && owner != own.getAsInt()) {
            throw new IOException("the owner of " + file + " is "
                    + attributes.owner().getName() + ", who may change it; it must be root or the user that the broker "
                    + "runs as: use chown");
        }
    }

    /** The effective user id of this process; empty if the system does not tell it. */
    private static OptionalInt ownUser() {
        try {
            for (String line : Files.readAllLines(STATUS, StandardCharsets.ISO_8859_1)) {
                String[] words = line.split("\\s+", -1);
                if (words.length > 2 && words[0].equals("Uid:")) {
                    return OptionalInt.of(Integer.parseUnsignedInt(words[2]));
                }
            }
        } catch (IOException | NumberFormatException e) {
            LOG.debug("user of this process not known", e);
        }
        return OptionalInt.empty();
    }
}
