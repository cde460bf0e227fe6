package io.godwit.perf.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reading the log of a broker. */
class RejoinTest {
    private static final String EARLIER = """
            2026-11-26 17:45:58,897 INFO  [main] io.godwit.broker.Main - Godwit 0.1.0 pid=77 java=17 vm="OpenJDK"
            2026-11-26 17:46:04,000 INFO  [links-1] i.g.c.link.Contacts - linked peer=n1/1#1 version=1
            2026-11-26 17:46:04,100 INFO  [link-control-1] i.g.d.peer.RemoteFilters - live filters of a peer are known \
            node=n1 incarnation=1
            2026-11-26 17:46:06,430 INFO  [dist-members] i.g.d.m.ClusterMembers - node serves \
            self=NodeLife[nodeId=n2, incarnation=1] view=MembersView[revision=6]
            2026-11-26 17:46:06,645 INFO  [main] io.godwit.broker.Broker - ready listeners=[tcp 127.0.0.1:20097]
            """;
    private static final String AGAIN = """
            2026-11-26 23:59:58,000 INFO  [main] io.godwit.broker.Main - Godwit 0.1.0 pid=777 java=17 vm="OpenJDK"
            2026-11-26 23:59:58,100 INFO  [links-1] i.g.c.link.Contacts - linked peer=n3/1#2 version=1
            2026-11-26 23:59:58,200 INFO  [link-control-1] i.g.d.peer.RemoteFilters - live filters of a peer are known \
            node=n3 incarnation=1
            2026-11-26 23:59:58,250 INFO  [links-1] i.g.c.link.Contacts - linked peer=n1/1#2 version=1
            2026-11-27 00:00:01,750 INFO  [link-control-1] i.g.d.peer.RemoteFilters - live filters of a peer are known \
            node=n1 incarnation=1
            2026-11-27 00:00:02,000 INFO  [dist-members] i.g.d.m.ClusterMembers - node serves \
            self=NodeLife[nodeId=n2, incarnation=2] view=MembersView[revision=9]
            2026-11-27 00:00:02,250 INFO  [main] io.godwit.broker.Broker - ready listeners=[tcp 127.0.0.1:20097]
            """;

    private static List<String> log(String... parts) {
        return String.join("", parts).lines().toList();
    }

    @Test
    void onlyTheNewProcessAndTheOtherNodeCount() {
        Rejoin rejoin = Rejoin.of(log(EARLIER, AGAIN), 777, "n1").orElseThrow();

        assertThat(Duration.between(rejoin.linked(), rejoin.known())).hasMillis(3_500);
        assertThat(Duration.between(rejoin.linked(), rejoin.serving())).hasMillis(4_000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"linked peer=n1", "known node=n1", "ready listeners", "pid=777"})
    void whatHasNotComeAboutIsWaitedFor(String missing) {
        List<String> log = new ArrayList<>(log(EARLIER));
        log.addAll(log(AGAIN).stream().filter(line -> !line.contains(missing)).toList());

        assertThat(Rejoin.of(log, 777, "n1")).isEmpty();
    }

    @Test
    void aNodeIsKnownByWhatItSaysWhenItServes() {
        assertThat(Rejoin.nodeId(log(EARLIER, AGAIN))).contains("n2");
        assertThat(Rejoin.nodeId(log(EARLIER).subList(0, 3))).isEqualTo(Optional.empty());
    }
}
