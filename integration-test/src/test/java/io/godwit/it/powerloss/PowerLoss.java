package io.godwit.it.powerloss;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.godwit.testing.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Makes a process lose its power: it runs with {@code powerloss.c} preloaded, is killed with SIGKILL by its owner, and
 * {@link #cut} then takes from its files what it had not fsynced. The next start of the process is again one to cut.
 *
 * <p>Needs Linux and a C compiler. Beside the watched directory it uses {@code <name>.power} for the shim, its record
 * and the files that the process has deleted.
 */
public final class PowerLoss {
    private static final Path SOURCE = Path.of("src", "test", "native", "powerloss.c");

    private final Path root;
    private final Path shim;
    private final Path journal;
    private final Path stash;
    private final Path failure;

    private PowerLoss(Path root, Path work) {
        this.root = root;
        this.shim = work.resolve("powerloss.so");
        this.journal = work.resolve("journal");
        this.stash = work.resolve("stash");
        this.failure = work.resolve("failure");
    }

    /** Skips the test with the reason where this machine cannot do it at all. */
    public static void assumePossible() throws InterruptedException {
        assumeTrue(System.getProperty("os.name").equals("Linux"), "losses of power are made on Linux only");
        Needs.need(hasCompiler(), "gcc", "without it no power is lost");
    }

    private static boolean hasCompiler() throws InterruptedException {
        try {
            return new ProcessBuilder("gcc", "--version").start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    /** Builds the shim for processes whose data is under {@code root}. */
    public static PowerLoss over(Path root) throws IOException, InterruptedException {
        Path real = Files.createDirectories(root).toRealPath();
        Path work = Files.createDirectories(real.resolveSibling(real.getFileName() + ".power"));
        PowerLoss loss = new PowerLoss(real, work);
        Files.createDirectories(loss.stash);
        Process compiler = new ProcessBuilder(
                        "gcc", "-O1", "-shared", "-fPIC", "-o", loss.shim.toString(), SOURCE.toString(), "-ldl")
                .inheritIO()
                .start();
        if (!compiler.waitFor(60, TimeUnit.SECONDS) || compiler.exitValue() != 0) {
            throw new IllegalStateException("the shim does not compile");
        }
        return loss;
    }

    /** What the process to be cut needs in its environment. */
    public Map<String, String> environment() {
        return Map.of(
                "LD_PRELOAD", shim.toString(),
                "POWERLOSS_ROOT", root.toString(),
                "POWERLOSS_JOURNAL", journal.toString(),
                "POWERLOSS_STASH", stash.toString(),
                "POWERLOSS_FAIL", failure.toString());
    }

    /** The next fsync of one of its files fails; the one after it would not. */
    public void failNextSync() throws IOException {
        Files.writeString(failure, "");
    }

    /**
     * Takes back what the killed process had not fsynced. All that is left counts as on disk from now on.
     *
     * @return the number of bytes lost
     */
    public long cut(PowerCut.Loss loss, Random random) throws IOException {
        long lost = new PowerCut(root, loss, random).apply(journal);
        Files.delete(journal);
        Files.deleteIfExists(failure);
        try (var kept = Files.newDirectoryStream(stash)) {
            for (Path file : kept) {
                Files.delete(file);
            }
        }
        return lost;
    }
}
