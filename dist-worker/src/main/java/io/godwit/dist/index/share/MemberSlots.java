package io.godwit.dist.index.share;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Members in the first {@link #size} slots of an array: joining, leaving and access by index take constant time. A
 * leaving member's slot is filled with the last member. Written under the lock of the {@link SharedGroup}; a reader
 * without the lock may find a slot just emptied or an array just replaced, and must retry.
 */
final class MemberSlots {
    /** Slots that nobody joins, in place of those that few groups need. */
    static final MemberSlots NONE = new MemberSlots();

    private static final int SMALLEST = 4;

    private volatile AtomicReferenceArray<@Nullable SharedMember> slots = new AtomicReferenceArray<>(SMALLEST);
    /** Raised after the array holds the member, lowered before its slot is emptied. */
    private volatile int size;
    /** Number of slot writes so far; writer only, for tests of the cost. */
    private long writes;

    int size() {
        return size;
    }

    /** Null when {@code at} is now beyond the end. */
    @Nullable
    SharedMember get(int at) {
        AtomicReferenceArray<@Nullable SharedMember> array = slots;
        return at < array.length() ? array.get(at) : null;
    }

    void add(SharedMember member) {
        int last = size;
        if (last == slots.length()) {
            resize(2 * last);
        }
        member.slot = last;
        slots.set(last, member);
        writes++;
        size = last + 1;
    }

    /** {@code member} must be in these slots. */
    void remove(SharedMember member) {
        int last = size - 1;
        SharedMember moved = slots.get(last);
        if (moved != null && member.slot != last) {
            slots.set(member.slot, moved);
            moved.slot = member.slot;
            writes++;
        }
        size = last;
        slots.set(last, null);
        writes++;
        if (last > SMALLEST && last == slots.length() / 4) {
            resize(slots.length() / 2);
        }
    }

    long writes() {
        return writes;
    }

    private void resize(int capacity) {
        AtomicReferenceArray<@Nullable SharedMember> old = slots;
        AtomicReferenceArray<@Nullable SharedMember> copy = new AtomicReferenceArray<>(capacity);
        for (int i = 0; i < size; i++) {
            copy.set(i, old.get(i));
        }
        writes += size;
        slots = copy;
    }
}
