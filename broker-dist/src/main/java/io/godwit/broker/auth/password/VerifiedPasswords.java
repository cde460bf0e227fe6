package io.godwit.broker.auth.password;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Passwords that were verified a short time ago, so that reconnecting devices do not wait for each other's hashes. Each
 * is stored as an HMAC under a key of this process, together with the credential that it was checked against, so a
 * changed password invalidates it at once. Wrong passwords are not stored. If there are too many, those used least are
 * dropped. Any thread: event loops look up, password threads add.
 */
public final class VerifiedPasswords {
    static final int MAX_USERS = 20_000;

    private final byte[] key = new byte[32];
    private final boolean isUsed;
    private final Cache<String, Verified> byUser;

    /**
     * @param life zero to store nothing
     * @param nanoTime the monotonic clock
     */
    public VerifiedPasswords(Duration life, SecureRandom random, LongSupplier nanoTime) {
        this.isUsed = !life.isZero();
        this.byUser = Caffeine.newBuilder()
                .expireAfterWrite(life)
                .maximumSize(MAX_USERS)
                .ticker(nanoTime::getAsLong)
                .executor(Runnable::run) // no thread of its own
                .build();
        random.nextBytes(key);
    }

    public boolean contains(String user, Credential credential, byte[] password) {
        Verified known = byUser.getIfPresent(user);
        return known != null
                && known.credential.equals(credential.text())
                && MessageDigest.isEqual(known.mac, Hmac.sha256(key, password));
    }

    public void add(String user, Credential credential, byte[] password) {
        if (isUsed) {
            byUser.put(user, new Verified(credential.text(), Hmac.sha256(key, password)));
        }
    }

    /** One password; compared by identity. */
    private static final class Verified {
        private final String credential;
        private final byte[] mac;

        private Verified(String credential, byte[] mac) {
            this.credential = credential;
            this.mac = mac;
        }
    }
}
