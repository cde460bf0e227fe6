package io.godwit.api;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.cluster.SettingsAdmin;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Configurations and plugins in memory. Thread-safe. */
final class FakeSettings implements SettingsAdmin {
    volatile List<String> missing = List.of();

    private static NodeSettings node(String id, String host) {
        return new NodeSettings(
                id,
                List.of(
                        new Setting("bootstrap", "true", Source.DEFAULT, "", false),
                        new Setting("clusterConfig.host", host, Source.FILE, "line 7", false),
                        new Setting("mqtt.limit", "5", Source.ENVIRONMENT, "environment variable X", true)));
    }

    @Override
    public CompletableFuture<ClusterAnswer<List<NodeSettings>>> configuration(Duration within) {
        return CompletableFuture.completedFuture(
                new ClusterAnswer<>(List.of(node(FakeNode.ID, "10.0.0.1"), node(FakeNode.OTHER, "10.0.0.2")), missing));
    }

    @Override
    public CompletableFuture<ClusterAnswer<List<PluginView>>> plugins(Duration within) {
        return CompletableFuture.completedFuture(new ClusterAnswer<>(
                List.of(new PluginView(
                        FakeNode.ID,
                        "ldap.jar",
                        List.of("ldap.jar"),
                        "1.2",
                        List.of(new Use(
                                "auth-provider",
                                "ldap",
                                "down",
                                "no directory",
                                "plugin",
                                7,
                                120,
                                2,
                                "no-answer: connect",
                                "open")))),
                missing));
    }
}
