package io.godwit.inbox.session.claim;

import io.godwit.inbox.client.SessionDirectory;
import io.godwit.inbox.session.port.Grant;
import io.godwit.inbox.session.port.IdKey;
import io.godwit.inbox.session.port.Owners;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The client id that a connection of this node has or waits for. Confined to the turns of its directory. */
public final class ClaimedId {
    enum State {
        WAITING,
        HELD,
        /** Released, refused or given up. */
        OVER
    }

    final long number;
    final IdKey key;
    final long keyHash;
    final SessionDirectory.Holder holder;
    final SessionDirectory.Takeover takeover;
    final CompletableFuture<SessionDirectory.Answer> answer;
    final long sinceNanos;
    State state = State.WAITING;
    /** Set in state {@link State#HELD}. */
    @Nullable
    Grant grant;

    boolean isToldToGiveUp;
    /** Number of the {@link Enrolment} in which its owner was told of it; 0 while none was. */
    long toldIn;

    ClaimedId(
            long number,
            IdKey key,
            SessionDirectory.Holder holder,
            SessionDirectory.Takeover takeover,
            long sinceNanos,
            CompletableFuture<SessionDirectory.Answer> answer) {
        this.number = number;
        this.key = key;
        this.keyHash = Owners.hash(key);
        this.holder = holder;
        this.takeover = takeover;
        this.sinceNanos = sinceNanos;
        this.answer = answer;
    }
}
