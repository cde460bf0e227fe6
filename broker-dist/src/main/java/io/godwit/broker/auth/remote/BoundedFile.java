package io.godwit.broker.auth.remote;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Reads small files. Blocks. */
public final class BoundedFile {
    private BoundedFile() {}

    /**
     * @param maxBytes the largest size that is read
     * @throws IOException naming the file if it is missing, unreadable or larger
     */
    public static byte[] read(Path file, int maxBytes) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(maxBytes + 1);
            if (bytes.length > maxBytes) {
                throw new IOException(file + " is larger than " + maxBytes + " bytes");
            }
            return bytes;
        } catch (NoSuchFileException e) {
            throw new IOException(file + " is not there", e);
        }
    }
}
