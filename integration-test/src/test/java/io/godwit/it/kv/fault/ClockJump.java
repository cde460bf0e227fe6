package io.godwit.it.kv.fault;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.godwit.testing.Needs;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Sets the clock of one process, ahead or back, while it runs with {@code clockjump.c} preloaded. Needs Linux and a C
 * compiler.
 */
public final class ClockJump {
    private static final Path SOURCE = Path.of("src", "test", "native", "clockjump.c");

    private final Path shim;
    private final Path offset;

    private ClockJump(Path work) {
        this.shim = work.resolve("clockjump.so");
        this.offset = work.resolve("offset");
    }

    /** Skips the test with the reason where this machine cannot do it at all. */
    public static void assumePossible() throws InterruptedException {
        assumeTrue(System.getProperty("os.name").equals("Linux"), "clocks are set on Linux only");
        Needs.need(hasCompiler(), "gcc", "without it no clock is set");
    }

    private static boolean hasCompiler() throws InterruptedException {
        try {
            return new ProcessBuilder("gcc", "--version").start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Builds the shim in a directory that is there for as long as the process runs; its clock is right to begin with.
     */
    public static ClockJump in(Path directory) throws IOException, InterruptedException {
        ClockJump jump = new ClockJump(Files.createDirectories(directory).toRealPath());
        jump.set(0);
        Process compiler = new ProcessBuilder(
                        "gcc", "-O1", "-shared", "-fPIC", "-o", jump.shim.toString(), SOURCE.toString(), "-ldl")
                .inheritIO()
                .start();
        if (!compiler.waitFor(60, TimeUnit.SECONDS) || compiler.exitValue() != 0) {
            throw new IllegalStateException("the shim does not compile");
        }
        return jump;
    }

    /** What the process needs in its environment. */
    public Map<String, String> environment() {
        return Map.of("LD_PRELOAD", shim.toString(), "CLOCKJUMP_FILE", offset.toString());
    }

    /** From now on the process is so many seconds ahead of the machine; negative for behind. */
    public void set(long seconds) throws IOException {
        ByteBuffer content =
                ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder()).putLong(0, seconds);
        // in place and at once: the process has it mapped
        try (FileChannel file = FileChannel.open(offset, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            file.write(content, 0);
        }
    }
}
