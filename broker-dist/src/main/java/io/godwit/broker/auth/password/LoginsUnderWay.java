package io.godwit.broker.auth.password;

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
 * Computes one hash for all logins with the same user and password that arrive before it is done: {@link #join}. A
 * fleet that reconnects with one password thus takes one place in the queue.
 *
 * <p>Unknown users are treated alike, so that timing does not reveal which users exist. A login that was refused
 * because the queue was full does not decide for the joined ones: each tries again under its own source.
 *
 * <p>Any thread: event loops join, password threads complete.
 */
public final class LoginsUnderWay {
    private static final int MAX_BYTES = 1024;

    private final byte[] key = new byte[32];
    /** The key is an HMAC with a secret of this process, so clients cannot choose hash collisions. */
    private final ConcurrentMap<ByteBuffer, CompletableFuture<ConnectResult>> logins = new ConcurrentHashMap<>();

    public LoginsUnderWay(SecureRandom random) {
        random.nextBytes(key);
    }

    /**
     * The result of a login under way with the same user, credential and password. If there is none, begins one with
     * {@code submit}.
     *
     * @param credential the credential to check against; null for an unknown user
     * @param submit must not block
     */
    public CompletableFuture<ConnectResult> join(
            String user,
            @Nullable Credential credential,
            byte[] password,
            Supplier<CompletableFuture<ConnectResult>> submit) {
        if (password.length > MAX_BYTES) {
            return submit.get(); // not shared: hashing such a key takes too long
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

    /** Unique for each triple, since the lengths mark where each part ends. */
    private byte[] mac(String user, @Nullable Credential credential, byte[] password) {
        byte[] name = user.getBytes(StandardCharsets.UTF_8);
        byte[] text = Optional.ofNullable(credential)
                .map(known -> known.text().getBytes(StandardCharsets.UTF_8))
                .orElse(new byte[0]);
        ByteBuffer all = ByteBuffer.allocate(8 + name.length + text.length + password.length);
        all.putInt(name.length).putInt(text.length).put(name).put(text).put(password);
        return Hmac.sha256(key, all.array());
    }

    /** The number of logins being computed or waiting. */
    int size() {
        return logins.size();
    }
}
