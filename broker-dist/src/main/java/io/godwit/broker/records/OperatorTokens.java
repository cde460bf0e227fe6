package io.godwit.broker.records;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.LimitReachedException;
import io.godwit.api.port.access.TokenAdmin;
import io.godwit.broker.records.wire.TokenValue;
import io.godwit.dist.record.RecordIndex;
import io.godwit.dist.record.RecordStore;
import io.godwit.dist.record.RecordStore.Change;
import io.godwit.dist.record.StoredRecord;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The tokens of operators: one record each, of kind {@code token}, which contains only the hash. */
public final class OperatorTokens implements TokenAdmin {
    static final String KIND = "token";
    private static final Logger LOG = LoggerFactory.getLogger(OperatorTokens.class);

    private final Changes changes;
    private final LongSupplier nowMillis;
    private final int most;
    /** Confined to the listener. */
    private final SortedMap<String, Token> byName = new TreeMap<>();

    private volatile List<Token> tokens = List.of();

    /** @param nowMillis wall time that does not step */
    public OperatorTokens(RecordStore records, LongSupplier nowMillis) {
        this(records, nowMillis, MAX_TOKENS);
    }

    OperatorTokens(RecordStore records, LongSupplier nowMillis, int most) {
        this.changes = new Changes(records);
        this.nowMillis = nowMillis;
        this.most = most;
        records.index().listen(KIND, new Listener());
    }

    /** Called in order, one call at a time. */
    private final class Listener implements RecordIndex.Listener {
        @Override
        public void stored(StoredRecord record) {
            try {
                byName.put(record.name(), read(record));
            } catch (InvalidProtocolBufferException e) {
                LOG.error("a stored token has no effect on this node name={} cause={}", record.name(), e.getMessage());
                byName.remove(record.name());
            }
            tokens = List.copyOf(byName.values());
        }

        @Override
        public void gone(String name) {
            byName.remove(name);
            tokens = List.copyOf(byName.values());
        }
    }

    private static Token read(StoredRecord record) throws InvalidProtocolBufferException {
        TokenValue stored = TokenValue.parseFrom(record.value());
        return new Token(
                record.name(),
                stored.getRole(),
                stored.getTenant(),
                HexFormat.of().formatHex(stored.getSha256().toByteArray()),
                stored.getSubject(),
                stored.getUntilMillis() <= 0 ? -1 : stored.getUntilMillis(),
                stored.getBy(),
                stored.getSinceMillis());
    }

    @Override
    public List<Token> tokens() {
        return tokens;
    }

    @Override
    public long nowMillis() {
        return nowMillis.getAsLong();
    }

    @Override
    public CompletableFuture<Boolean> add(Token token, Duration within) {
        byte[] value = TokenValue.newBuilder()
                .setRole(token.role())
                .setTenant(token.tenant())
                .setSha256(ByteString.copyFrom(HexFormat.of().parseHex(token.sha256())))
                .setSubject(token.subject())
                .setUntilMillis(Math.max(0, token.untilMillis()))
                .setBy(token.by())
                .setSinceMillis(token.sinceMillis())
                .build()
                .toByteArray();
        return changes.change(
                        KIND,
                        token.name(),
                        present -> {
                            if (present != null) {
                                return Change.KEEP;
                            }
                            if (tokens.size() >= most) {
                                throw new LimitReachedException("there are " + most + " tokens already");
                            }
                            return Change.put(value);
                        },
                        within)
                .thenApply(before -> before == null);
    }

    @Override
    public CompletableFuture<ClusterAnswer<Boolean>> remove(String name, Duration within) {
        return changes.changed(KIND, name, present -> Change.DELETE, within)
                .thenApply(done -> new ClusterAnswer<>(done.before() != null, done.unconfirmed()));
    }

    /** The names of the tokens that had ended at that time. */
    List<String> endedBefore(long millis) {
        return tokens.stream()
                .filter(token -> token.isOver(millis))
                .map(Token::name)
                .toList();
    }
}
