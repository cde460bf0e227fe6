package io.godwit.broker.auth.password;

import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * Passwords that were verified a short time ago, so that reconnecting devices do not wait for each other's hashes. Each
 * is stored as an HMAC under a key of this process, together with the credential that it was checked against, so a
 * changed password invalidates it at once. Wrong passwords are not stored. Any thread: event loops look up, password
 * threads add.
 */
public final class VerifiedPasswords {
    private static final int MAX_USERS = 20_000;

    private final byte[] key = new byte[32];
    private final long lifeNanos;
    private final LongSupplier nanoTime;
    private final ConcurrentHashMap<String, Verified> byUser = new ConcurrentHashMap<>();
    /** The approximate number of entries, since {@link ConcurrentHashMap#size} walks. Only adders contend for it. */
    private final AtomicInteger count = new AtomicInteger();

    /** @param life zero to store nothing */
    public VerifiedPasswords(Duration life, SecureRandom random, LongSupplier nanoTime) {
        this.lifeNanos = life.toNanos();
        this.nanoTime = nanoTime;
        random.nextBytes(key);
    }

    public boolean contains(String user, Credential credential, byte[] password) {
        Verified known = byUser.get(user);
        return known != null
                && known.credential.equals(credential.text())
                && nanoTime.getAsLong() - known.addedNanos < lifeNanos
                && MessageDigest.isEqual(known.mac, Hmac.sha256(key, password));
    }

    public void add(String user, Credential credential, byte[] password) {
        if (lifeNanos == 0) {
            return;
        }
        if (count.get() >= MAX_USERS) {
            dropOld();
        }
        Verified verified = new Verified(credential.text(), Hmac.sha256(key, password), nanoTime.getAsLong());
        if (count.get() < MAX_USERS && byUser.put(user, verified) == null) {
            count.incrementAndGet();
        }
    }

    private void dropOld() {
        long now = nanoTime.getAsLong();
        byUser.forEach((user, verified) -> {
            if (now - verified.addedNanos >= lifeNanos && byUser.remove(user, verified)) {
                count.decrementAndGet();
            }
        });
    }

    /** One password; compared by identity. */
    private static final class Verified {
        private final String credential;
        private final byte[] mac;
        private final long addedNanos;

        private Verified(String credential, byte[] mac, long addedNanos) {
            this.credential = credential;
            this.mac = mac;
            this.addedNanos = addedNanos;
        }
    }
}
