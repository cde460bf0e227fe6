package io.godwit.inbox.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.session.port.DirectoryView;
import io.godwit.inbox.session.port.IdKey;
import io.godwit.inbox.session.port.Owners;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class OwnersTest {
    private static final int IDS = 30_000;

    private static long hash(int i) {
        return Owners.hash(new IdKey(TenantId.DEFAULT, new ClientId("client-" + i)));
    }

    private static String owner(Owners owners, int i) {
        return Objects.requireNonNull(owners.of(hash(i))).nodeId();
    }

    @Test
    void eachMemberOwnsItsShare() {
        Owners owners = new Owners(DirectoryStage.view(1, "node-1", "node-2", "node-3"));
        Map<String, Integer> shares = new TreeMap<>();
        for (int i = 0; i < IDS; i++) {
            shares.merge(owner(owners, i), 1, Integer::sum);
        }
        assertThat(shares).hasSize(3);
        assertThat(shares.values()).allMatch(share -> Math.abs(share - IDS / 3) < IDS / 50);
    }

    @Test
    void memberThatGoesTakesItsShareAlong() {
        Owners three = new Owners(DirectoryStage.view(1, "node-1", "node-2", "node-3"));
        Owners two = new Owners(DirectoryStage.view(2, "node-1", "node-3"));
        for (int i = 0; i < IDS; i++) {
            String before = owner(three, i);
            if (!before.equals("node-2")) {
                assertThat(owner(two, i)).isEqualTo(before);
            }
        }
    }

    /** Must not change: nodes of two releases must agree on owners. */
    @Test
    void hashIsWhatItWas() {
        assertThat(hash(1)).isEqualTo(8295764698947236072L);
        Owners owners = new Owners(DirectoryStage.view(1, "node-1", "node-2", "node-3"));
        StringBuilder first = new StringBuilder();
        for (int i = 0; i < 12; i++) {
            first.append(owner(owners, i).charAt(5));
        }
        assertThat(first).hasToString("112322133312");
    }

    @Test
    void tenantCounts() {
        ClientId same = new ClientId("c");
        assertThat(Owners.hash(new IdKey(new TenantId("t1"), same)))
                .isNotEqualTo(Owners.hash(new IdKey(new TenantId("t2"), same)));
    }

    @Test
    void nobodyOwnsAnythingWhereNobodyServes() {
        Owners none = new Owners(new DirectoryView(1, Set.of(), Set.of(DirectoryStage.life("a"))));
        assertThat(none.of(1)).isNull();
    }
}
