package io.godwit.it.broker;

import io.godwit.testing.Await;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Stops a process in the midst of what it does (SIGSTOP), so that one can look at what that was before one kills it. A
 * shell stands ready to send the signal: to start one takes longer than some of what is to be caught. Used by one
 * thread; Linux only.
 */
final class Freezer implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final long pid;
    private final Process shell;

    Freezer(long pid) throws IOException {
        this.pid = pid;
        this.shell = new ProcessBuilder(
                        "/bin/sh",
                        "-c",
                        "while read -r signal; do kill -\"$signal\" \"$0\" || exit; done",
                        Long.toString(pid))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** Returns when none of its threads runs any more, or when it is gone. */
    void freeze() throws IOException {
        send("STOP");
        Await looks = Await.atMost(PATIENCE);
        while (!isStill()) {
            if (!looks.again()) {
                throw new IOException("pid " + pid + " does not stop");
            }
        }
    }

    /** Lets it go on. */
    void thaw() throws IOException {
        send("CONT");
    }

    private void send(String signal) throws IOException {
        OutputStream orders = shell.getOutputStream();
        orders.write((signal + '\n').getBytes(StandardCharsets.US_ASCII));
        orders.flush();
    }

    /** A thread in a system call, such as an fsync, stops at its end only. */
    private boolean isStill() throws IOException {
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "task"))) {
            for (Path thread : threads) {
                if ("TtZX".indexOf(ProcStat.state(thread.resolve("stat"))) < 0) {
                    return false;
                }
            }
        } catch (NoSuchFileException gone) {
            return true;
        }
        return true;
    }

    /** The process stays as it is. */
    @Override
    public void close() throws IOException {
        shell.getOutputStream().close(); // the shell still reads what was written before
    }
}
