package io.godwit.broker.admin.backup;

import io.godwit.kv.disk.DurableFiles;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Where a backup is written: a directory, a tar file if the name ends so, or a stream in tar format. Used by one
 * thread.
 */
public interface BackupTarget extends AutoCloseable {

    /** @throws FileAlreadyExistsException if something exists there already */
    static BackupTarget at(Path path) throws IOException {
        return String.valueOf(path.getFileName()).endsWith(".tar") ? new TarFile(path) : new Directory(path);
    }

    /**
     * Opens the next file; the one before must have been closed.
     *
     * @param bytes the size of the file
     */
    OutputStream file(String directory, String name, long bytes) throws IOException;

    /** Makes all files durable, then writes the manifest. */
    void finish(byte[] manifest) throws IOException;

    /** Without {@link #finish} the files stay, but are no backup. */
    @Override
    void close() throws IOException;

    /** A directory that is empty, or that is created so that only its owner may enter it. */
    final class Directory implements BackupTarget {
        private final Path path;

        Directory(Path path) throws IOException {
            this.path = path;
            DurableFiles.createDirectories(path);
            try (Stream<Path> entries = Files.list(path)) {
                if (entries.findAny().isPresent()) {
                    throw new FileAlreadyExistsException(path + " is not empty");
                }
            }
        }

        @Override
        public OutputStream file(String directory, String name, long bytes) throws IOException {
            Path parent = path.resolve(directory);
            DurableFiles.createDirectories(parent);
            FileChannel channel =
                    FileChannel.open(parent.resolve(name), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            return new BufferedOutputStream(Channels.newOutputStream(channel)) {
                @Override
                public void close() throws IOException {
                    try (channel) {
                        flush();
                        channel.force(true);
                    }
                    DurableFiles.syncDirectory(parent);
                }
            };
        }

        @Override
        public void finish(byte[] manifest) throws IOException {
            DurableFiles.replace(path.resolve(BackupManifest.FILE), manifest);
        }

        @Override
        public void close() {
            // nothing is open between files
        }
    }

    /**
     * A tar file that only its owner may read. It gets its name at the end, and is locked until then: otherwise a
     * second backup to the same name could replace the unfinished file, and this one would move that half to the final
     * name.
     */
    final class TarFile implements BackupTarget {
        private final Path path;
        private final Path unfinished;
        private final FileChannel channel;
        private final OutputStream out;
        /** The length of the archive up to its last complete file, in bytes. */
        private long whole;

        TarFile(Path path) throws IOException {
            if (Files.exists(path)) {
                throw new FileAlreadyExistsException(path + " is there already");
            }
            this.path = path;
            this.unfinished = path.resolveSibling(path.getFileName() + ".unfinished");
            if (Files.exists(unfinished, LinkOption.NOFOLLOW_LINKS)) {
                deleteLeftOver();
            }
            this.channel = FileChannel.open(
                    unfinished,
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            if (!isLocked(channel)) {
                channel.close();
                throw inUse();
            }
            this.out = new BufferedOutputStream(Channels.newOutputStream(channel));
        }

        /**
         * Deletes the rest of a killed backup. It is not overwritten, since it may have other permissions or another
         * owner.
         */
        private void deleteLeftOver() throws IOException {
            try (FileChannel left = FileChannel.open(unfinished, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
                if (!isLocked(left)) {
                    throw inUse();
                }
                Files.delete(unfinished);
            }
        }

        private FileAlreadyExistsException inUse() {
            return new FileAlreadyExistsException(unfinished + " is being written");
        }

        /** Takes the lock, which ends with the channel. */
        private static boolean isLocked(FileChannel channel) throws IOException {
            try {
                return channel.tryLock() != null;
            } catch (OverlappingFileLockException e) { // locked by this process
                return false;
            }
        }

        @Override
        public OutputStream file(String directory, String name, long bytes) throws IOException {
            return entry(directory + "/" + name, bytes);
        }

        private OutputStream entry(String name, long bytes) throws IOException {
            dropHalfWritten();
            return new Tar.Entry(out, name, bytes) {
                @Override
                public void close() throws IOException {
                    super.close(); // throws if the file is incomplete
                    TarFile.this.out.flush();
                    whole = channel.position();
                }
            };
        }

        /** Removes an incomplete file, which would be taken for the copy that follows it. */
        private void dropHalfWritten() throws IOException {
            out.flush();
            channel.truncate(whole);
            channel.position(whole);
        }

        @Override
        public void finish(byte[] manifest) throws IOException {
            try (OutputStream entry = entry(BackupManifest.FILE, manifest.length)) {
                entry.write(manifest);
            }
            Tar.end(out);
            out.flush();
            channel.force(true);
            Files.move(unfinished, path, StandardCopyOption.ATOMIC_MOVE);
            Path parent = path.toAbsolutePath().getParent();
            if (parent != null) {
                DurableFiles.syncDirectory(parent);
            }
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    /**
     * A tar archive that is sent while it is made, so that nothing can be taken back: after an incomplete file the
     * archive ends without a manifest, and is no backup.
     */
    final class TarStream implements BackupTarget {
        private final OutputStream out;
        private boolean isHalfWritten;

        /** @param out is not closed */
        TarStream(OutputStream out) {
            this.out = out;
        }

        /**
         * The target of one of several backups in this archive, in a directory of its own. {@link #end} ends the
         * archive.
         */
        BackupTarget in(String name) {
            return new BackupTarget() {
                @Override
                public OutputStream file(String directory, String file, long bytes) throws IOException {
                    return entry(name + "/" + directory + "/" + file, bytes);
                }

                @Override
                public void finish(byte[] manifest) throws IOException {
                    write(name + "/" + BackupManifest.FILE, manifest);
                }

                @Override
                public void close() {
                    // the archive is closed as a whole
                }
            };
        }

        @Override
        public OutputStream file(String directory, String name, long bytes) throws IOException {
            return entry(directory + "/" + name, bytes);
        }

        private OutputStream entry(String name, long bytes) throws IOException {
            if (isHalfWritten) {
                throw new IOException("the file before " + name + " is not complete");
            }
            isHalfWritten = true;
            return new Tar.Entry(out, name, bytes) {
                @Override
                public void close() throws IOException {
                    super.close(); // throws if the file is incomplete
                    isHalfWritten = false;
                }
            };
        }

        private void write(String name, byte[] content) throws IOException {
            try (OutputStream entry = entry(name, content.length)) {
                entry.write(content);
            }
        }

        @Override
        public void finish(byte[] manifest) throws IOException {
            write(BackupManifest.FILE, manifest);
            end();
        }

        /** Ends the archive. */
        void end() throws IOException {
            Tar.end(out);
            out.flush();
        }

        @Override
        public void close() {
            // without finish there is no manifest
        }
    }
}
