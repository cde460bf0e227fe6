package io.godwit.mqtt.session.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.SessionDirectory;
import io.godwit.inbox.session.NodeSessionDirectory;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ExclusiveLeasesTest {
    private final NodeSessionDirectory directory = new NodeSessionDirectory();
    private final ExclusiveLeases leases = new ExclusiveLeases(directory, 2);

    private CompletableFuture<SessionDirectory.Answer> acquire(String client, String filter) {
        ClientInfo info = new ClientInfo(TenantId.DEFAULT, new ClientId(client), null, "test:1", 5);
        return leases.acquire(info, TopicFilter.parse(filter).orElseThrow(), () -> {});
    }

    @Test
    void aNodeHasALimitedNumberOfThem() {
        SessionDirectory.Lease first =
                (SessionDirectory.Lease) acquire("a", "$exclusive/1").join();
        acquire("a", "$exclusive/2").join();
        assertThat(acquire("b", "$exclusive/3")).isCompletedExceptionally();
        assertThat(directory.size()).isEqualTo(2);
        first.release();
        first.release();
        assertThat(leases.count()).isEqualTo(1);
        assertThat(acquire("b", "$exclusive/3").join()).isInstanceOf(SessionDirectory.Lease.class);
    }

    @Test
    void aRefusedOneTakesNoPlace() {
        acquire("a", "$exclusive/1").join();
        for (int i = 0; i < 5; i++) {
            assertThat(acquire("b", "$exclusive/1").join()).isEqualTo(SessionDirectory.Refusal.OTHER_USER);
        }
        assertThat(leases.count()).isEqualTo(1);
    }

    @Test
    void aClientIdIsNoExclusiveFilter() {
        acquire("a", "$exclusive/1").join();
        assertThat(directory.acquire(
                        TenantId.DEFAULT,
                        new ClientId("1"),
                        () -> {
                            throw new AssertionError("nobody else has it");
                        },
                        SessionDirectory.Takeover.OF_ANYBODY))
                .isCompletedWithValueMatching(answer -> answer instanceof SessionDirectory.Lease);
    }
}
