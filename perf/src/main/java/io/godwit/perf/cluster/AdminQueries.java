package io.godwit.perf.cluster;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Queries a cluster through one of its nodes with the distribution's {@code bin/godwit-admin}. Used by one thread at a
 * time. Each query starts a JVM, which takes about a second of CPU time.
 */
final class AdminQueries {
    private final UnpackedDistribution distribution;
    private final NodePlan node;

    /** @param node a running node of the same user */
    AdminQueries(UnpackedDistribution distribution, NodePlan node) {
        this.distribution = distribution;
        this.node = node;
    }

    /**
     * The ranges of a store now; empty if there is no answer within {@code limit} or it is a refusal, as while leaders
     * are being elected.
     *
     * @throws IOException if the program cannot be started
     */
    Optional<StoreReplicas> replicas(Store store, Duration limit) throws IOException, InterruptedException {
        Path answer = node.home().resolve("admin.out");
        Process process = new ProcessBuilder(
                        distribution.adminScript().toString(),
                        "--json",
                        "--data",
                        node.data().toString(),
                        "ranges",
                        store.adminName())
                .redirectOutput(answer.toFile())
                .redirectError(node.home().resolve("admin.err").toFile())
                .start();
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS) || process.exitValue() != 0) {
                return Optional.empty();
            }
        } finally {
            process.destroyForcibly();
        }
        try {
            return Optional.of(StoreReplicas.of(new JsonObject(Files.readString(answer, StandardCharsets.UTF_8))));
        } catch (DecodeException | ClassCastException e) {
            return Optional.empty(); // from a release that this tool does not know
        }
    }
}
