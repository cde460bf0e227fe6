package io.godwit.kv.range.state;

import io.godwit.kv.raft.RaftGroup;
import io.godwit.plugin.balance.Key;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A log entry that changes what a range is, not its data. Each names the epoch it was made for; on a range of another
 * epoch it changes nothing, on every replica alike. Behind the two bytes that every entry begins with
 * ({@link RangeEntry}):
 *
 * <pre>
 * SPLIT     long epoch | long childId | bytes key
 * REPLICAS  long epoch | texts voters | texts learners
 * ABSORB    long epoch | long rightId | long rightEpoch | boolean hasEnd [bytes end]
 * COPY      long epoch | long rightId | int count, then for each: bytes key | bytes value
 * JOIN      long epoch | long rightId | long rightEpoch
 * REFRAIN   long epoch | long rightId
 * YIELD     long epoch | long leftId
 * RESUME    long epoch
 * RETIRE    long epoch
 * FORGET    long epoch | long rightId
 * </pre>
 */
public sealed interface RangeCommand {
    /** Of the range, for which it was decided. */
    long epoch();

    /** Whether keys pass to or from another range, so that nothing else may be under way meanwhile. */
    boolean movesKeys();

    <T> T accept(Visitor<T> visitor);

    /** One method for each command, so that none is forgotten. */
    interface Visitor<T> {
        T split(Split command);

        T replicas(Replicas command);

        T absorb(Absorb command);

        T copy(Copy command);

        T join(Join command);

        T refrain(Refrain command);

        T yieldTo(Yield command);

        T resume(Resume command);

        T retire(Retire command);

        T forget(Forget command);
    }

    /**
     * See {@link io.godwit.kv.range.change.Split}.
     *
     * @param childId of the right part
     * @param key its first
     */
    @SuppressWarnings("ArrayRecordComponent") // compared nowhere
    record Split(long epoch, long childId, byte[] key) implements RangeCommand {
        @Override
        public boolean movesKeys() {
            return true;
        }

        @Override
        public <T> T accept(Visitor<T> visitor) {
            return visitor.split(this);
        }

        @Override
        public String toString() {
            return "Split[epoch=" + epoch + ", childId=" + childId + ", key=" + Key.of(key) + "]";
        }
    }

    /** What the Raft group's members are by now: written after they were changed. */
    record Replicas(long epoch, RaftGroup.Membership members) implements RangeCommand {
        @Override
        public boolean movesKeys() {
            return false;
        }

        @Override
        public <T> T accept(Visitor<T> visitor) {
            return visitor.replicas(this);
        }
    }

    /**
     * The left range is going to take over the right one. Deletes what an earlier attempt has left. See {@code Merge}.
     */
    @SuppressWarnings("ArrayRecordComponent") // compared nowhere
    record Absorb(long epoch, long rightId, long rightEpoch, byte @Nullable [] end) implements RangeCommand {
        @Override
        public boolean movesKeys() {
            return false;
        }

        @Override
        public <T> T accept(Visitor<T> visitor) {
            return visitor.absorb(this);
        }

        @Override
        public String toString() {
            return "Absorb[epoch=" + epoch + ", rightId=" + rightId + ", rightEpoch=" + rightEpoch + ", end="
                    + (end == null ? "end" : Key.of(end)) + "]";
        }
    }

    /** Keys and values of the right range, for the left one. See {@link io.godwit.kv.range.change.Merge}. */
    record Copy(long epoch, long rightId, List<Entry> entries) implements RangeCommand {
        public Copy {
            entries = List.copyOf(entries);
        }

        @Override
        public boolean movesKeys() {
            return false;
        }

        @Override
        public <T> T accept(Visitor<T> visitor) {
            return visitor.copy(this);
        }
    }

    /** The left range has all of the right one: its keys are its own from here on. See {@code Merge}. */
    record Join(long epoch, long rightId, long rightEpoch) implements RangeCommand {
        @Override
        public boolean movesKeys() {
            return true;
        }

        @Override
        public <T> T accept(Visitor<T> visitor) {
            return visitor.join(this);
        }
    }

    /** The left range gives up taking over the right one. See {@link io.godwit.kv.range.change.Merge}. */
    record Refrain(long epoch, long rightId) implements RangeCommand {
        @Override
        public boolean movesKeys() {
            return false;
        }

        @Override
        public <T> T accept(Visitor<T> visitor) {
            return visitor.refrain(this);
        }
    }

    /** The right range takes nothing any more. See {@link io.godwit.kv.range.change.Merge}. */
    record Yield(long epoch, long leftId) implements RangeCommand {
        @Override
        public boolean movesKeys() {
            return true;
        }

        @Override
        public <T> T accept(Visitor<T> visitor) {
            return visitor.yieldTo(this);
        }
    }

    /** The right range goes on: the left one has given up. See {@link io.godwit.kv.range.change.Merge}. */
    record Resume(long epoch) implements RangeCommand {
        @Override
        public boolean movesKeys() {
            return false;
        }

        @Override
        public <T> T accept(Visitor<T> visitor) {
            return visitor.resume(this);
        }
    }

    /** The right range is no more. See {@link io.godwit.kv.range.change.Merge}. */
    record Retire(long epoch) implements RangeCommand {
        @Override
        public boolean movesKeys() {
            return false;
        }

        @Override
        public <T> T accept(Visitor<T> visitor) {
            return visitor.retire(this);
        }
    }

    /** The right range has retired: the left one is free for other changes. See {@code Merge}. */
    record Forget(long epoch, long rightId) implements RangeCommand {
        @Override
        public boolean movesKeys() {
            return false;
        }

        @Override
        public <T> T accept(Visitor<T> visitor) {
            return visitor.forget(this);
        }
    }

    /** A key with its value. */
    @SuppressWarnings("ArrayRecordComponent") // compared nowhere
    record Entry(byte[] key, byte[] value) {
        @Override
        public String toString() {
            return "Entry[key=" + Key.of(key) + ", bytes=" + value.length + "]";
        }
    }

    /** The entry. */
    default byte[] encode() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(RangeEntry.VERSION);
            accept(new Encoder(out)).write();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /**
     * Borrows {@code data}: its position stays.
     *
     * @throws IllegalArgumentException if it is not a command of this version
     */
    static RangeCommand decode(ByteBuffer data) {
        byte[] bytes = new byte[data.remaining()];
        data.duplicate().get(bytes);
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            byte version = in.readByte();
            byte kind = in.readByte();
            if (version == RangeEntry.VERSION) {
                switch (kind) {
                    case RangeEntry.SPLIT -> {
                        return new Split(in.readLong(), in.readLong(), StateBytes.readBytes(in));
                    }
                    case RangeEntry.REPLICAS -> {
                        return new Replicas(in.readLong(), StateBytes.readMembers(in));
                    }
                    case RangeEntry.ABSORB -> {
                        return new Absorb(in.readLong(), in.readLong(), in.readLong(), StateBytes.readEnd(in));
                    }
                    case RangeEntry.COPY -> {
                        return new Copy(in.readLong(), in.readLong(), readEntries(in));
                    }
                    case RangeEntry.JOIN -> {
                        return new Join(in.readLong(), in.readLong(), in.readLong());
                    }
                    case RangeEntry.REFRAIN -> {
                        return new Refrain(in.readLong(), in.readLong());
                    }
                    case RangeEntry.YIELD -> {
                        return new Yield(in.readLong(), in.readLong());
                    }
                    case RangeEntry.RESUME -> {
                        return new Resume(in.readLong());
                    }
                    case RangeEntry.FORGET -> {
                        return new Forget(in.readLong(), in.readLong());
                    }
                    case RangeEntry.RETIRE -> {
                        return new Retire(in.readLong());
                    }
                    default -> {}
                }
            }
            throw new IllegalArgumentException("log entry version=" + version + " kind=" + kind);
        } catch (IOException e) {
            throw new IllegalArgumentException("log entry of " + bytes.length + " bytes: " + e.getMessage(), e);
        }
    }

    private static List<Entry> readEntries(DataInputStream in) throws IOException {
        List<Entry> entries = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            entries.add(new Entry(StateBytes.readBytes(in), StateBytes.readBytes(in, Integer.MAX_VALUE)));
        }
        return entries;
    }

    /** Something that is written. */
    interface Body {
        void write() throws IOException;
    }

    /** Writes the kind and what follows. */
    record Encoder(DataOutputStream out) implements Visitor<Body> {
        @Override
        public Body split(Split command) {
            return () -> {
                out.writeByte(RangeEntry.SPLIT);
                out.writeLong(command.epoch());
                out.writeLong(command.childId());
                StateBytes.writeBytes(out, command.key());
            };
        }

        @Override
        public Body replicas(Replicas command) {
            return () -> {
                out.writeByte(RangeEntry.REPLICAS);
                out.writeLong(command.epoch());
                StateBytes.writeMembers(out, command.members());
            };
        }

        @Override
        public Body absorb(Absorb command) {
            return () -> {
                out.writeByte(RangeEntry.ABSORB);
                out.writeLong(command.epoch());
                out.writeLong(command.rightId());
                out.writeLong(command.rightEpoch());
                StateBytes.writeEnd(out, command.end());
            };
        }

        @Override
        public Body copy(Copy command) {
            return () -> {
                out.writeByte(RangeEntry.COPY);
                out.writeLong(command.epoch());
                out.writeLong(command.rightId());
                out.writeInt(command.entries().size());
                for (Entry entry : command.entries()) {
                    StateBytes.writeBytes(out, entry.key());
                    StateBytes.writeBytes(out, entry.value());
                }
            };
        }

        @Override
        public Body join(Join command) {
            return () -> {
                out.writeByte(RangeEntry.JOIN);
                out.writeLong(command.epoch());
                out.writeLong(command.rightId());
                out.writeLong(command.rightEpoch());
            };
        }

        @Override
        public Body refrain(Refrain command) {
            return () -> {
                out.writeByte(RangeEntry.REFRAIN);
                out.writeLong(command.epoch());
                out.writeLong(command.rightId());
            };
        }

        @Override
        public Body yieldTo(Yield command) {
            return () -> {
                out.writeByte(RangeEntry.YIELD);
                out.writeLong(command.epoch());
                out.writeLong(command.leftId());
            };
        }

        @Override
        public Body resume(Resume command) {
            return () -> {
                out.writeByte(RangeEntry.RESUME);
                out.writeLong(command.epoch());
            };
        }

        @Override
        public Body forget(Forget command) {
            return () -> {
                out.writeByte(RangeEntry.FORGET);
                out.writeLong(command.epoch());
                out.writeLong(command.rightId());
            };
        }

        @Override
        public Body retire(Retire command) {
            return () -> {
                out.writeByte(RangeEntry.RETIRE);
                out.writeLong(command.epoch());
            };
        }
    }
}
