package io.godwit.inbox.ledger;

import io.godwit.inbox.format.QueuedCopy;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.plugin.event.DropReason;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * QoS 0 messages for one connection that wait in memory behind its queue. Bounded by number and bytes, and together
 * with those of all other connections of the range ({@link Holds}); over a bound the oldest is dropped, counted and
 * reported. Owned by the range leader, or by {@link MovedSessions} during a hand-over.
 */
public final class Qos0Places {
    /** @param isReplay whether it is a retained message from a replay */
    public record Place(QueuedCopy copy, long behindSequence, boolean isReplay) {}

    private final ArrayDeque<Place> places = new ArrayDeque<>();
    private long bytes;
    /** Budget of the range; null while no range has it. */
    private @Nullable Holds holds;

    public Qos0Places(Holds holds) {
        this.holds = holds;
    }

    public boolean isEmpty() {
        return places.isEmpty();
    }

    /** Adds a message. A single message may exceed the bound on bytes if it is alone. */
    public void add(Place place, Qos0Room room, InboxId id) {
        places.add(place);
        count(place.copy().heldBytes());
        int most = Math.max(1, room.settings().boundsOf(id.tenant()).maxQos0());
        Holds shared = room.holds();
        while (places.size() > most
                || places.size() > 1 && bytes > room.settings().maxQos0Bytes()
                || !places.isEmpty() && !shared.mayPlace()) {
            Place oldest = remove();
            room.reports().dropped(id, oldest.copy().message.topic(), DropReason.QUEUE_FULL_OLDEST);
        }
    }

    /** Removes and returns the oldest if it belongs before {@code sequence}, else null. */
    public @Nullable QueuedCopy next(long sequence) {
        Place oldest = places.peek();
        return oldest == null || oldest.behindSequence() >= sequence ? null : remove().copy();
    }

    private Place remove() {
        Place oldest = places.remove();
        count(-oldest.copy().heldBytes());
        return oldest;
    }

    private void count(long more) {
        bytes += more;
        Holds shared = holds;
        if (shared != null) {
            shared.placed(more);
        }
    }

    /** Moves its bytes to the budget of another range, or of none when its range has ended. */
    void count(@Nullable Holds in) {
        Holds before = holds;
        if (before != null) {
            before.placed(-bytes);
        }
        holds = in;
        if (in != null) {
            in.placed(bytes);
        }
    }

    /**
     * Removes all, for appending to the queue. A retained message is left out if a newer live message of its topic is
     * queued before it.
     */
    public List<QueuedCopy> takeUnsent(Ledger ledger) {
        List<QueuedCopy> left = new ArrayList<>(places.size());
        while (!places.isEmpty()) {
            Place place = remove();
            if (!place.isReplay()
                    || !ledger.hasBehind(
                            place.behindSequence(), place.copy().message.topic())) {
                left.add(place.copy());
            }
        }
        return left;
    }

    /** Removes and returns all. */
    List<QueuedCopy> takeAll() {
        List<QueuedCopy> left = new ArrayList<>(places.size());
        while (!places.isEmpty()) {
            left.add(remove().copy());
        }
        return left;
    }
}
