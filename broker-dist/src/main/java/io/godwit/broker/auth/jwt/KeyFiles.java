package io.godwit.broker.auth.jwt;

import io.godwit.broker.auth.remote.BoundedFile;
import io.godwit.common.pem.PemFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PublicKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Keys from files that are checked periodically. A changed file is read as a whole; one with a mistake changes nothing.
 * A file that could not be read is tried again at each check, changed or not: a removed key must not stay valid because
 * of a single disk error. For one thread at a time.
 */
final class KeyFiles {
    private static final int MAX_BYTES = 256 * 1_024;
    private final @Nullable Path secret;
    private final @Nullable Path publicKeys;
    private final @Nullable Path jwks;
    private final int minSecretBytes;
    private List<Object> stamps = List.of();
    /** The last error; null if there was none. */
    private @Nullable String problem;

    /** Each file may be null, for none. */
    KeyFiles(@Nullable Path secret, @Nullable Path publicKeys, @Nullable Path jwks, int minSecretBytes) {
        this.secret = secret;
        this.publicKeys = publicKeys;
        this.jwks = jwks;
        this.minSecretBytes = minSecretBytes;
    }

    /**
     * The keys in the files if these have changed since the last call. Blocks.
     *
     * @throws IOException naming the file and its error, but no part of its content; thrown once per error
     */
    Optional<KeySet> changed() throws IOException {
        List<Object> now = new ArrayList<>();
        for (Path file :
                Stream.of(secret, publicKeys, jwks).filter(Objects::nonNull).toList()) {
            now.add(stamp(file));
        }
        boolean isChanged = !now.equals(stamps);
        if (!isChanged && problem == null) {
            return Optional.empty();
        }
        stamps = now; // set before reading, so that a change meanwhile is noticed
        try {
            KeySet all = read();
            problem = null;
            return Optional.of(all);
        } catch (IOException e) {
            String before = problem;
            problem = String.valueOf(e.getMessage());
            if (!isChanged && problem.equals(before)) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private KeySet read() throws IOException {
        KeySet all = KeySet.NONE;
        if (secret != null) {
            all = all.and(ofSecret(secret));
        }
        if (publicKeys != null) {
            all = all.and(ofPem(publicKeys));
        }
        if (jwks != null) {
            all = all.and(ofJwks(jwks));
        }
        return all;
    }

    private static Object stamp(Path file) {
        try {
            return file + " " + Files.getLastModifiedTime(file) + " " + Files.size(file);
        } catch (IOException e) {
            return file + " cannot be read";
        }
    }

    /** The secret is all bytes of the file, without line ends at the end. */
    private KeySet ofSecret(Path file) throws IOException {
        byte[] bytes = BoundedFile.read(file, MAX_BYTES);
        int length = bytes.length;
        while (length > 0 && (bytes[length - 1] == '\n' || bytes[length - 1] == '\r')) {
            length--;
        }
        if (length < minSecretBytes) {
            throw new IOException(
                    file + ": a secret has at least " + minSecretBytes + " bytes, this one has " + length);
        }
        SecretKeySpec key = new SecretKeySpec(Arrays.copyOf(bytes, length), "HMAC");
        return new KeySet(List.of(new TokenKey(null, null, KeyKind.HMAC, key)), 0);
    }

    private static KeySet ofPem(Path file) throws IOException {
        List<TokenKey> keys = new ArrayList<>();
        for (PublicKey key : PemFile.readSmall(file).publicKeys()) {
            String error = TokenKey.lengthError(key);
            if (!error.isEmpty()) {
                throw new IOException(file + ": " + error);
            }
            KeyKind kind = KeyKind.of(key)
                    .orElseThrow(() -> new IOException(file + ": a key is on a curve that is not supported"));
            keys.add(new TokenKey(null, null, kind, key));
        }
        return new KeySet(keys, 0);
    }

    private static KeySet ofJwks(Path file) throws IOException {
        try {
            return KeySet.ofJwks(new String(BoundedFile.read(file, MAX_BYTES), StandardCharsets.UTF_8), false);
        } catch (KeySet.JwksException e) {
            throw new IOException(file + " " + e.getMessage(), e);
        }
    }
}
