package io.godwit.broker.auth;

import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.RefusalReason;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Has one hash computed for all logins with one user and password that come while it is computed or waits for that:
 * {@link #join}. So a fleet that connects again with one password takes one place of the queue, and its logins do not
 * refuse each other.
 *
 * <p>Unknown users are treated alike, so that nobody learns by the time which users there are. A login that could not
 * be checked, since the queue was full, stands for itself alone: the others try again, each in the name of its own
 * source.
 *
 * <p>Any thread: event loops join, and password threads end what they joined.
 */
final class LoginsUnderWay {
    private static final int MAX_BYTES = 1024;

    private final byte[] key = new byte[32];
    /** By an HMAC under a key of this process: no client can choose its places in the table. */
    private final ConcurrentMap<ByteBuffer, CompletableFuture<ConnectResult>> logins = new ConcurrentHashMap<>();

    LoginsUnderWay(SecureRandom random) {
        random.nextBytes(key);
    }

    /**
     * The result of the login that is under way with the same user, credential and password; else begins one by {@code
     * submit}.
     *
     * @param credential what the password is checked against; null for an unknown user
     * @param submit must not wait
     */
    CompletableFuture<ConnectResult> join(
            String user,
            @Nullable Credential credential,
            byte[] password,
            Supplier<CompletableFuture<ConnectResult>> submit) {
        if (password.length > MAX_BYTES) {
            return submit.get(); // nobody's, and it takes time to compare
        }
        ByteBuffer login = ByteBuffer.wrap(mac(user, credential, password));
        CompletableFuture<ConnectResult> own = new CompletableFuture<>();
        CompletableFuture<ConnectResult> present = logins.putIfAbsent(login, own);
        if (present != null) {
            return present.thenCompose(
                    result -> isUnchecked(result) ? submit.get() : CompletableFuture.completedFuture(result));
        }
        CompletableFuture<ConnectResult> begun = submit.get();
        begun.whenComplete((result, failure) -> {
            logins.remove(login, own);
            if (failure != null) {
                own.completeExceptionally(failure);
            } else {
                own.complete(result);
            }
        });
        return own;
    }

    private static boolean isUnchecked(ConnectResult result) {
        return result instanceof ConnectResult.Refused refused && refused.reason() == RefusalReason.BUSY;
    }

    /** One for each triple: the lengths tell where a part ends. */
    private byte[] mac(String user, @Nullable Credential credential, byte[] password) {
        byte[] name = user.getBytes(StandardCharsets.UTF_8);
        byte[] text = Optional.ofNullable(credential)
                .map(known -> known.text().getBytes(StandardCharsets.UTF_8))
                .orElse(new byte[0]);
        ByteBuffer all = ByteBuffer.allocate(8 + name.length + text.length + password.length);
        all.putInt(name.length).putInt(text.length).put(name).put(text).put(password);
        return Hmac.sha256(key, all.array());
    }

    /** How many are computed or wait. */
    int size() {
        return logins.size();
    }
}
