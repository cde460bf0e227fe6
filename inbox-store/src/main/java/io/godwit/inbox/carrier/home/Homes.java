package io.godwit.inbox.carrier.home;

import io.godwit.inbox.protocol.InboxHome;
import io.godwit.inbox.protocol.InboxId;
import org.jspecify.annotations.Nullable;

/** Finds the leaders of inboxes. */
public interface Homes {
    /** Null while no leader is known, or it is not linked. Called with a lock held. */
    @Nullable
    InboxHome of(InboxId inbox);

    /** Describes the leader, as far as it is known, for error messages. Called with a lock held. */
    String inWords(InboxId inbox);

    /** The known leaders may be wrong: reads them again. Called with a lock held. */
    void refresh();
}
