package io.godwit.kv.operate;

import io.godwit.kv.balance.ActionOutcome;
import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.BalanceAction.ChangeReplica;
import io.godwit.plugin.balance.BalanceAction.Merge;
import io.godwit.plugin.balance.BalanceAction.MoveLeader;
import io.godwit.plugin.balance.BalanceAction.Split;
import io.godwit.plugin.balance.Key;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;

/**
 * Encodes balance actions and their results for other nodes.
 *
 * <pre>
 * request  utf store | long millis left | byte kind | long range id | long epoch | utf reason
 *   1 split    boolean hasKey [int length, key]
 *   2 merge    long right id | long right epoch
 *   3 replica  utf step | utf store id
 *   4 leader   utf store id
 * result   utf outcome | utf detail
 * </pre>
 */
final class ActionCodec {
    private ActionCodec() {}

    /** @param millisLeft how long the asker still waits */
    record Request(String store, long millisLeft, BalanceAction action) {}

    static byte[] encode(Request request) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeUTF(request.store());
            out.writeLong(request.millisLeft());
            write(out, request.action());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static void write(DataOutputStream out, BalanceAction action) throws IOException {
        out.writeByte(kindOf(action));
        out.writeLong(action.rangeId());
        out.writeLong(action.epoch());
        out.writeUTF(action.reason());
        if (action instanceof Split split) {
            out.writeBoolean(split.key().isPresent());
            if (split.key().isPresent()) {
                byte[] key = split.key().get().bytes();
                out.writeInt(key.length);
                out.write(key);
            }
        } else if (action instanceof Merge merge) {
            out.writeLong(merge.rightId());
            out.writeLong(merge.rightEpoch());
        } else if (action instanceof ChangeReplica change) {
            out.writeUTF(change.step().name());
            out.writeUTF(change.store());
        } else if (action instanceof MoveLeader move) {
            out.writeUTF(move.to());
        }
    }

    private static int kindOf(BalanceAction action) {
        if (action instanceof Split) {
            return 1;
        } else if (action instanceof Merge) {
            return 2;
        } else if (action instanceof ChangeReplica) {
            return 3;
        } else if (action instanceof MoveLeader) {
            return 4;
        }
        throw new IllegalArgumentException("action " + action);
    }

    /** @throws IOException if {@code encoded} is not a request */
    static Request request(byte[] encoded) throws IOException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(encoded))) {
            return new Request(in.readUTF(), in.readLong(), action(in));
        } catch (IllegalArgumentException e) { // thrown by the records
            throw new IOException(e.getMessage(), e);
        }
    }

    private static BalanceAction action(DataInputStream in) throws IOException {
        byte kind = in.readByte();
        long rangeId = in.readLong();
        long epoch = in.readLong();
        String reason = in.readUTF();
        return switch (kind) {
            case 1 ->
                new Split(
                        rangeId,
                        epoch,
                        in.readBoolean() ? Optional.of(Key.of(in.readNBytes(in.readInt()))) : Optional.empty(),
                        reason);
            case 2 -> new Merge(rangeId, epoch, in.readLong(), in.readLong(), reason);
            case 3 -> new ChangeReplica(rangeId, epoch, ChangeReplica.Step.valueOf(in.readUTF()), in.readUTF(), reason);
            case 4 -> new MoveLeader(rangeId, epoch, in.readUTF(), reason);
            default -> throw new IOException("action of kind " + kind);
        };
    }

    static byte[] encode(OperationResult result) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeUTF(result.outcome().name());
            out.writeUTF(result.detail());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    static OperationResult result(byte[] encoded) throws IOException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(encoded))) {
            return new OperationResult(ActionOutcome.valueOf(in.readUTF()), in.readUTF());
        } catch (IllegalArgumentException e) { // an outcome of a later release
            throw new IOException(e.getMessage(), e);
        }
    }
}
