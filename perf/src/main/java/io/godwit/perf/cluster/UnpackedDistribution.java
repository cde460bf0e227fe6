package io.godwit.perf.cluster;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * An unpacked Godwit distribution, from which brokers are started. Immutable.
 *
 * @param root the directory with {@code bin}, {@code lib} and {@code conf}; absolute
 */
public record UnpackedDistribution(Path root) {
    /**
     * Checks the directory.
     *
     * @throws IllegalArgumentException if {@code root} contains no distribution; its message is for the user
     */
    public UnpackedDistribution {
        root = root.toAbsolutePath().normalize();
        if (!Files.isExecutable(startScript(root)) || !Files.isDirectory(root.resolve("lib"))) {
            throw new IllegalArgumentException(
                    "no Godwit distribution in " + root + ": bin/standalone.sh and lib are expected there");
        }
    }

    private static Path startScript(Path root) {
        return root.resolve("bin").resolve("standalone.sh");
    }

    Path startScript() {
        return startScript(root);
    }

    Path adminScript() {
        return root.resolve("bin").resolve("godwit-admin");
    }
}
