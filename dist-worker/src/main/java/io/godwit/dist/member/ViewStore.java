package io.godwit.dist.member;

import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.Mirror;
import io.godwit.kv.client.RangeClient;
import io.godwit.kv.client.RangeException;
import java.util.concurrent.CompletableFuture;

/** The dist store as the members use it. Futures complete on any thread and fail with {@link RangeException}. */
interface ViewStore {
    /** As {@link Mirror#catchUp}. */
    CompletableFuture<Void> catchUp(Deadline deadline);

    /**
     * Puts {@code next} in the place of the view of the revision before it, if that is there. After a failure it may
     * still be done later.
     */
    CompletableFuture<ViewRecord.Reply> replace(MembersView next, Deadline deadline);

    /** Over the ranges of the store. */
    static ViewStore of(Mirror mirror, RangeClient ranges) {
        return new ViewStore() {
            @Override
            public CompletableFuture<Void> catchUp(Deadline deadline) {
                return mirror.catchUp(deadline);
            }

            /** Also while the disk is nearly full: a view that cannot change stops the cluster. */
            @Override
            public CompletableFuture<ViewRecord.Reply> replace(MembersView next, Deadline deadline) {
                return ranges.relieve(ViewRecord.key(), ViewRecord.mutation(next), deadline)
                        .thenApply(ViewRecord::decodeReply);
            }
        };
    }
}
