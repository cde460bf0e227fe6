package io.godwit.it.real;

import io.godwit.testing.Needs;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Other programs that tests run, and what {@code .ci/install-test-clients} has installed for them. */
public final class Programs {
    /** Relative to the module, where its tests run. */
    public static final Path INSTALLED = Path.of("target/clients").toAbsolutePath();

    public static final Path NODE_MODULES = INSTALLED.resolve("node_modules");
    static final Path PYTHON_MODULES = INSTALLED.resolve("python");

    private Programs() {}

    /** The first of them that is on the PATH; null when none is. */
    public static @Nullable String find(String... names) {
        return Needs.program(names);
    }

    /** A file of {@code src/test/resources/clients}, copied to {@code directory}. */
    public static Path script(String name, Path directory) throws IOException {
        Path copy = directory.resolve(name);
        try (InputStream in = Programs.class.getResourceAsStream("/clients/" + name)) {
            if (in == null) {
                throw new IOException("no resource clients/" + name);
            }
            Files.write(copy, in.readAllBytes());
        }
        return copy;
    }

    /**
     * Runs it to its end and returns the lines it has printed.
     *
     * @param output where they are kept meanwhile
     * @throws IOException when its exit code is not 0 or it takes longer: with what it has printed, errors included
     */
    static List<String> run(List<String> command, Map<String, String> environment, Path output, int patienceSeconds)
            throws IOException, InterruptedException {
        Path errors = output.resolveSibling(output.getFileName() + ".err");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(output.toFile()).redirectError(errors.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        boolean hasEnded = process.waitFor(patienceSeconds, TimeUnit.SECONDS);
        if (!hasEnded) {
            process.destroyForcibly().waitFor();
        }
        if (!hasEnded || process.exitValue() != 0) {
            throw new IOException(command + (hasEnded ? " ended with " + process.exitValue() : " has not ended") + ":\n"
                    + Files.readString(output) + Files.readString(errors));
        }
        return Files.readAllLines(output);
    }
}
