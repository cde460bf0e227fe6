package io.godwit.kv.range.state;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.raft.RaftGroup;
import io.godwit.plugin.balance.Key;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The state of a range, apart from its data. It is stored in the range's database and changed only by log entries, in
 * the same batch as the related data. The {@code apply} methods compute the next state; an empty result means that the
 * command does not fit this state and changes nothing. Immutable.
 *
 * <pre>
 * byte version = 1 | long id | long epoch | bytes start | boolean hasEnd [bytes end] | texts voters
 *     | texts learners | byte phase and what it has
 *   0 settled
 *   1 absorbing: long rightId | long rightEpoch | boolean hasEnd [bytes end]
 *   2 yielding:  long leftId
 *   3 retired:   long leftId
 *   4 joined:    long rightId
 * bytes: int length, then these; texts: int count, then each as utf
 * </pre>
 *
 * @param id unique in the store, never reused
 * @param epoch rises with every split, merge and change of members
 * @param members members of the Raft group, as of the last {@link RangeCommand.Replicas}
 * @param phase phase of a merge, see {@link io.godwit.kv.range.change.Merge}
 */
public record RangeState(long id, long epoch, RangeBounds bounds, RaftGroup.Membership members, Phase phase) {
    public static final int VERSION = 1;

    /** The phase of a merge; in any phase but {@link Settled} no other change is accepted. */
    public sealed interface Phase {}

    /** No merge is in progress. */
    public record Settled() implements Phase {
        static final Settled SETTLED = new Settled();
    }

    /**
     * It takes over the right neighbour's data, and will have its end.
     *
     * @param rightEpoch epoch of the right neighbour before it yields
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Absorbing(long rightId, long rightEpoch, byte @Nullable [] end) implements Phase {
        @Override
        public String toString() {
            return "Absorbing[rightId=" + rightId + ", rightEpoch=" + rightEpoch + ", end="
                    + (end == null ? "end" : Key.of(end)) + "]";
        }
    }

    /** It no longer serves, because the left neighbour takes over its data. */
    public record Yielding(long leftId) implements Phase {}

    /** The left neighbour has its keys; this range is deleted. */
    public record Retired(long leftId) implements Phase {}

    /**
     * It has the right neighbour's keys, and waits until that one has retired; the right one reads this state to learn
     * the outcome.
     */
    public record Joined(long rightId) implements Phase {}

    /** The state of a range of a new store. */
    public static RangeState first(long id, RangeBounds bounds, List<String> voters) {
        return settled(id, 1, bounds, new RaftGroup.Membership(voters, List.of()));
    }

    /** A state without a merge in progress. */
    public static RangeState settled(long id, long epoch, RangeBounds bounds, RaftGroup.Membership members) {
        return new RangeState(id, epoch, bounds, members, Settled.SETTLED);
    }

    /** Whether another node can lead the range. */
    public boolean hasOtherVoters() {
        return members.voters().size() > 1;
    }

    public boolean isSettled() {
        return phase instanceof Settled;
    }

    /** Whether its keys have moved or are moving to another range; then it does not serve. */
    public boolean isLeaving() {
        return phase instanceof Yielding || phase instanceof Retired;
    }

    /** Whether the range may be split at {@code key}: the key is within the bounds and not their start. */
    public boolean canSplitAt(byte[] key) {
        return bounds.contains(key) && !Arrays.equals(key, bounds.start());
    }

    /** Whether {@code right} begins where this one ends. */
    public boolean isLeftOf(RangeState right) {
        return bounds.end() != null && Arrays.equals(bounds.end(), right.bounds.start());
    }

    /** The state of the left part. */
    public Optional<RangeState> apply(RangeCommand.Split split) {
        return isFor(split) && canSplitAt(split.key())
                ? Optional.of(settled(id, epoch + 1, new RangeBounds(bounds.start(), split.key()), members))
                : Optional.empty();
    }

    /** The state of the right part; call it on the state before the split. */
    public RangeState child(RangeCommand.Split split) {
        return settled(split.childId(), epoch + 1, new RangeBounds(split.key(), bounds.end()), members);
    }

    public Optional<RangeState> apply(RangeCommand.Replicas replicas) {
        return isFor(replicas) ? Optional.of(settled(id, epoch + 1, bounds, replicas.members())) : Optional.empty();
    }

    public Optional<RangeState> apply(RangeCommand.Absorb absorb) {
        return isFor(absorb) && bounds.end() != null
                ? Optional.of(in(epoch, new Absorbing(absorb.rightId(), absorb.rightEpoch(), absorb.end())))
                : Optional.empty();
    }

    public Optional<RangeState> apply(RangeCommand.Copy copy) {
        return copy.epoch() == epoch && phase instanceof Absorbing absorbing && absorbing.rightId() == copy.rightId()
                ? Optional.of(this)
                : Optional.empty();
    }

    /** A state with the keys of both, and an epoch above both. */
    public Optional<RangeState> apply(RangeCommand.Join join) {
        return join.epoch() == epoch
                        && phase instanceof Absorbing absorbing
                        && absorbing.rightId() == join.rightId()
                        && absorbing.rightEpoch() == join.rightEpoch()
                ? Optional.of(new RangeState(
                        id,
                        Math.max(epoch, join.rightEpoch() + 1) + 1,
                        new RangeBounds(bounds.start(), absorbing.end()),
                        members,
                        new Joined(join.rightId())))
                : Optional.empty();
    }

    public Optional<RangeState> apply(RangeCommand.Forget forget) {
        return forget.epoch() == epoch && phase instanceof Joined joined && joined.rightId() == forget.rightId()
                ? Optional.of(in(epoch, Settled.SETTLED))
                : Optional.empty();
    }

    public Optional<RangeState> apply(RangeCommand.Refrain refrain) {
        return refrain.epoch() == epoch
                        && phase instanceof Absorbing absorbing
                        && absorbing.rightId() == refrain.rightId()
                ? Optional.of(in(epoch, Settled.SETTLED))
                : Optional.empty();
    }

    public Optional<RangeState> apply(RangeCommand.Yield yield) {
        return isFor(yield) ? Optional.of(in(epoch + 1, new Yielding(yield.leftId()))) : Optional.empty();
    }

    public Optional<RangeState> apply(RangeCommand.Resume resume) {
        return resume.epoch() == epoch && phase instanceof Yielding
                ? Optional.of(in(epoch + 1, Settled.SETTLED))
                : Optional.empty();
    }

    public Optional<RangeState> apply(RangeCommand.Retire retire) {
        return retire.epoch() == epoch && phase instanceof Yielding yielding
                ? Optional.of(in(epoch + 1, new Retired(yielding.leftId())))
                : Optional.empty();
    }

    private boolean isFor(RangeCommand command) {
        return command.epoch() == epoch && isSettled();
    }

    private RangeState in(long nextEpoch, Phase next) {
        return new RangeState(id, nextEpoch, bounds, members, next);
    }

    public byte[] encode() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            out.writeLong(id);
            out.writeLong(epoch);
            StateBytes.writeBytes(out, bounds.start());
            StateBytes.writeEnd(out, bounds.end());
            StateBytes.writeMembers(out, members);
            if (phase instanceof Absorbing absorbing) {
                out.writeByte(1);
                out.writeLong(absorbing.rightId());
                out.writeLong(absorbing.rightEpoch());
                StateBytes.writeEnd(out, absorbing.end());
            } else if (phase instanceof Yielding yielding) {
                out.writeByte(2);
                out.writeLong(yielding.leftId());
            } else if (phase instanceof Retired retired) {
                out.writeByte(3);
                out.writeLong(retired.leftId());
            } else if (phase instanceof Joined joined) {
                out.writeByte(4);
                out.writeLong(joined.rightId());
            } else {
                out.writeByte(0);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** @throws IOException if it is not a state of this version */
    public static RangeState decode(byte[] encoded) throws IOException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(encoded))) {
            int version = in.readUnsignedByte();
            if (version != VERSION) {
                throw new IOException("range state of version " + version + ", expected " + VERSION);
            }
            long id = in.readLong();
            long epoch = in.readLong();
            RangeBounds bounds = new RangeBounds(StateBytes.readBytes(in), StateBytes.readEnd(in));
            RaftGroup.Membership members = StateBytes.readMembers(in);
            int phase = in.readUnsignedByte();
            return new RangeState(
                    id,
                    epoch,
                    bounds,
                    members,
                    switch (phase) {
                        case 0 -> Settled.SETTLED;
                        case 1 -> new Absorbing(in.readLong(), in.readLong(), StateBytes.readEnd(in));
                        case 2 -> new Yielding(in.readLong());
                        case 3 -> new Retired(in.readLong());
                        case 4 -> new Joined(in.readLong());
                        default -> throw new IOException("range state of phase " + phase);
                    });
        }
    }
}
