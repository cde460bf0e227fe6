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
 * A log entry that changes a range's state, not its data. Each command names the epoch that it was made for; if the
 * range has another epoch, it changes nothing, on any replica. After the two bytes that every entry begins with
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
    /** The epoch of the range for which the command was made. */
    long epoch();

    /** Whether keys move to or from another range, so that nothing else may be in progress meanwhile. */
    boolean movesKeys();

    <T> T accept(Visitor<T> visitor);

    /** One method for each command, so that the compiler finds a missing case. */
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
     * @param childId id of the right part
     * @param key first key of the right part
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
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

    /** The present members of the Raft group; written after they were changed. */
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
     * The left range begins to take over the right one; deletes what an earlier attempt has left. See {@code Merge}.
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
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

    /** Copies keys and values of the right range into the left one. See {@link io.godwit.kv.range.change.Merge}. */
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

    /** The left range has all data of the right one: it owns the keys from here on. See {@code Merge}. */
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

    /** The left range gives up the merge. See {@link io.godwit.kv.range.change.Merge}. */
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

    /** The right range no longer serves. See {@link io.godwit.kv.range.change.Merge}. */
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

    /** The right range serves again, because the left one has given up. See {@link io.godwit.kv.range.change.Merge}. */
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

    /** The right range has ended. See {@link io.godwit.kv.range.change.Merge}. */
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

    /** The right range has retired, so the left one may be changed again. See {@code Merge}. */
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
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Entry(byte[] key, byte[] value) {
        @Override
        public String toString() {
            return "Entry[key=" + Key.of(key) + ", bytes=" + value.length + "]";
        }
    }

    /** Encodes this command as a log entry. */
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
     * Decodes a command. Borrows {@code data}: its position stays.
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

    /** Writes the body of an entry. */
    interface Body {
        void write() throws IOException;
    }

    /** Writes the kind and the fields of each command. */
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
