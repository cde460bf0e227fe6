package io.godwit.kv.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.config.HostPort;
import io.godwit.cluster.member.Member;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NodeAddressesTest {
    private static final Member NODE =
            new Member("0123456789", 1, new HostPort("10.0.0.1", 8900), "test", "env", Map.of());

    private final List<String> kept = new ArrayList<>();
    private final Set<String> forgotten = new HashSet<>();

    /** Nobody waits for it any more, and each new disk gives a new id: the records would add up. */
    @Test
    void aForgottenNodeIsNotKept() {
        NodeAddresses addresses = new NodeAddresses(
                null,
                member -> !forgotten.contains(member.nodeId()),
                record -> kept.add(new String(record, StandardCharsets.UTF_8)),
                Runnable::run);
        addresses.joined(NODE);
        assertThat(addresses.nameOf(NODE.nodeId())).isEqualTo("node 01234567 at 10.0.0.1:8900");
        forgotten.add(NODE.nodeId());
        addresses.forget(NODE.nodeId());
        assertThat(addresses.nameOf(NODE.nodeId())).isEqualTo("node 01234567");
        addresses.joined(NODE);
        assertThat(kept).containsExactly("0123456789 10.0.0.1:8900\n", "");
    }
}
