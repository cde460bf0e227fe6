package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.client.RangeException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;

/** Three nodes, with client ids that the first and the second of them lead. */
abstract class ThreeHomes {
    final HomesFixture homes = new HomesFixture(3, 3);
    final String led0 = homes.idLedBy(0, "a");
    final String led1 = homes.idLedBy(1, "b");

    @AfterEach
    void close() {
        homes.close();
    }

    static RangeException.Cause causeOf(CompletableFuture<?> failed) {
        assertThat(failed).isCompletedExceptionally();
        return failed.handle((value, failure) -> ((RangeException) failure).reason())
                .join();
    }
}
