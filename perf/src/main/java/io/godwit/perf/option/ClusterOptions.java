package io.godwit.perf.option;

import io.godwit.perf.cluster.ClusterSetup;
import io.godwit.perf.cluster.UnpackedDistribution;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How the brokers of a cluster are started. */
public final class ClusterOptions {
    /**
     * The system property, set by {@code perf.sh}, with the directory of the distribution that it runs from or has
     * built.
     */
    static final String DISTRIBUTION = "perf.distribution";

    @Option(
            names = "--heap",
            paramLabel = "SIZE",
            description = "heap of each broker, as 512m or 2g (default: ${DEFAULT-VALUE})")
    private String heap = "1g";

    @Option(
            names = "--broker-jvm",
            paramLabel = "OPTION",
            description = "an option of each broker's JVM, as --broker-jvm=-XX:+UseParallelGC; may be repeated")
    private List<String> jvmOptions = List.of();

    @Option(names = "--tls", description = "nodes speak to each other over TLS; clients speak plain TCP all the same")
    private boolean isTls;

    @Option(names = "--keep", description = "keep the logs and configurations of the brokers, and say where they are")
    private boolean isKeepingLogs;

    @Option(
            names = "--dist",
            paramLabel = "DIR",
            description = "the Godwit distribution to start (default: the one of this perf.sh)")
    private @Nullable Path distribution;

    /**
     * The settings of a cluster.
     *
     * @throws IllegalArgumentException if something is out of bounds; its message is for the user
     */
    public ClusterSetup settings(int nodes, int voters) {
        return settings(nodes, voters, List.of());
    }

    /**
     * As {@link #settings(int, int)}, with options for each broker's JVM that precede those of the user.
     *
     * @param moreJvmOptions such as {@code -Dname=value}
     */
    public ClusterSetup settings(int nodes, int voters, List<String> moreJvmOptions) {
        List<String> all = new ArrayList<>(moreJvmOptions);
        all.addAll(jvmOptions);
        return new ClusterSetup(distribution(), nodes, voters, heap, all, isTls, isKeepingLogs);
    }

    private UnpackedDistribution distribution() {
        if (distribution != null) {
            return new UnpackedDistribution(distribution);
        }
        String known = System.getProperty(DISTRIBUTION);
        if (known == null) {
            throw new IllegalArgumentException("--dist is needed: this was not started by bin/perf.sh");
        }
        return new UnpackedDistribution(Path.of(known));
    }
}
