package io.godwit.inbox.carrier;

import io.godwit.inbox.protocol.InboxHome;
import io.godwit.kv.client.RangeException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The copy of a message for one inbox, on its way to a home. */
final class InsertStep extends HomeStep {
    private final HomeCarrier carrier;
    private final HomeInsert insert;
    private final int target;

    /** @param target its index among the targets of the request */
    InsertStep(HomeCarrier carrier, HomeInsert insert, int target) {
        super(insert.inbox(target));
        this.carrier = carrier;
        this.insert = insert;
        this.target = target;
    }

    HomeInsert insert() {
        return insert;
    }

    int target() {
        return target;
    }

    @Override
    void send(InboxHome home, long round) {
        List<InsertStep> alone = List.of(this);
        home.insert(insert.part(alone), new long[] {round}, new PartAnswer(carrier, alone));
    }

    /** Upper bound on the bytes of the target in a frame. */
    int wireBytes() {
        return insert.wireBytesOfTarget(target);
    }

    @Override
    int bytes() {
        return OVERHEAD_BYTES + insert.bytesOfTarget();
    }

    @Override
    boolean isMessage() {
        return true;
    }

    @Override
    int orderHash() {
        return insert.orderHash();
    }

    @Override
    void sending() {
        insert.sent();
    }

    @Override
    boolean isAbandoned() {
        return insert.isAbandoned();
    }

    @Override
    boolean mustWait() {
        return insert.mustWait();
    }

    @Override
    @Nullable
    Runnable refused() {
        return insert.refused();
    }

    @Override
    @Nullable
    Runnable giveUp(RangeException cause) {
        return insert.failed(0, cause);
    }
}
