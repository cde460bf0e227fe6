package io.godwit.dist.member.view;

import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.Mirror;
import io.godwit.kv.client.RangeClient;
import io.godwit.kv.client.RangeException;
import java.util.concurrent.CompletableFuture;

/**
 * The operations of the dist store that the members need. Futures complete on any thread and fail with
 * {@link RangeException}.
 */
public interface ViewStore {
    /** As {@link Mirror#catchUp}. */
    CompletableFuture<Void> catchUp(Deadline deadline);

    /**
     * Replaces the view of the revision before {@code next}, if that is the present one. After a failure the
     * replacement may still happen later.
     */
    CompletableFuture<ViewRecord.Reply> replace(MembersView next, Deadline deadline);

    /** Uses the ranges of the store. */
    static ViewStore of(Mirror mirror, RangeClient ranges) {
        return new ViewStore() {
            @Override
            public CompletableFuture<Void> catchUp(Deadline deadline) {
                return mirror.catchUp(deadline);
            }

            /** Works while the disk is nearly full, too: a view that cannot change stops the cluster. */
            @Override
            public CompletableFuture<ViewRecord.Reply> replace(MembersView next, Deadline deadline) {
                return ranges.relieve(ViewRecord.key(), ViewRecord.mutation(next), deadline)
                        .thenApply(ViewRecord::decodeReply);
            }
        };
    }
}
