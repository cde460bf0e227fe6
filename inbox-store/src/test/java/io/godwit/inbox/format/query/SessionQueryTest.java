package io.godwit.inbox.format.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.inbox.client.catalog.SessionCatalog.Criteria;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SessionQueryTest {
    private static final ClientId LONGEST = new ClientId("a".repeat(65_535));

    private static SessionQuery asking(String idText, boolean isPrefix) {
        return new SessionQuery(new byte[0], null, 10, 5, new Criteria(null, idText, isPrefix, false, 0));
    }

    /**
     * As for connected clients: the plain search would compare hundreds of characters at each position of the client
     * id.
     */
    @Test
    void noTextAndNoClientIdMakeALookLong() {
        SessionQuery query =
                SessionQuery.decode(asking("a".repeat(1_023) + "b", false).encode());
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long begun = threads.getCurrentThreadCpuTime();
        for (int i = 0; i < 500; i++) {
            assertThat(query.matches(TenantId.DEFAULT, LONGEST)).isFalse();
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(threads.getCurrentThreadCpuTime() - begun);
        assertThat(millis).isLessThan(2_000);
    }

    @Test
    void criteriaComeThroughAsTheyAre() {
        for (SessionQuery each : new SessionQuery[] {asking("a", true), asking("a", false), asking("", true)}) {
            assertThat(SessionQuery.decode(each.encode()).criteria()).isEqualTo(each.criteria());
        }
    }

    /** No client id is longer, so no search is needed. */
    @Test
    void aLongerTextThanAnyClientIdIsRefused() {
        assertThat(asking("a".repeat(65_535), false).matches(TenantId.DEFAULT, LONGEST))
                .isTrue();
        assertThatThrownBy(() -> asking("a".repeat(65_536), true).encode())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("65535");
    }
}
