package io.godwit.it.cluster.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.client.TestClient;
import io.godwit.it.cluster.NodeClients;
import io.godwit.it.cluster.ThreeNodes;
import io.godwit.testing.Await;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What the SubBroker "sink" of {@link PluginsOfAllKinds} takes on three nodes. */
final class TakenMessages {
    /** Until the other nodes go on without a killed one. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private final PluginCluster nodes;

    TakenMessages(PluginCluster nodes) {
        this.nodes = nodes;
    }

    /** Publishes until the SubBroker takes it on some node, which is returned. */
    int awaitServed(TestClient publisher) throws Exception {
        String probe = "probe-" + System.nanoTime();
        Await.until(
                "a route to the SubBroker",
                PATIENCE,
                () -> NodeClients.code(publisher.publish("sink", probe, 1), "sink") == 0);
        Await looks = Await.atMost(PATIENCE);
        while (true) {
            for (int i = 0; i < ThreeNodes.NODES; i++) {
                if (nodes.notes(i, "sink").stream().anyMatch(note -> note.startsWith(probe))) {
                    return i;
                }
            }
            looks.again(() -> "a node to hand " + probe + " to the SubBroker");
        }
    }

    /** Waits until all were taken. One that is taken twice must be marked as repeated the second time. */
    void awaitTaken(List<String> sent) throws IOException {
        Await looks = Await.atMost(PATIENCE);
        List<String> missing = missing(sent);
        while (!missing.isEmpty()) {
            List<String> had = missing;
            looks.again(() -> "the SubBroker to take also " + had + " of " + sent.size());
            missing = missing(sent);
        }
        List<String> taken = taken();
        assertThat(sent)
                .allSatisfy(each -> assertThat(Collections.frequency(taken, each))
                        .as("times that %s is taken as new", each)
                        .isLessThan(2));
    }

    private List<String> missing(List<String> sent) throws IOException {
        List<String> taken = taken();
        return sent.stream()
                .filter(each -> !taken.contains(each) && !taken.contains(each + " again"))
                .toList();
    }

    /** What SubBrokers of all nodes note: the texts, those of repeated messages with "again". */
    List<String> taken() throws IOException {
        List<String> notes = new ArrayList<>();
        for (int i = 0; i < ThreeNodes.NODES; i++) {
            notes.addAll(nodes.notes(i, "sink"));
        }
        return notes;
    }
}
