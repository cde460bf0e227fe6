package io.godwit.broker.auth.password;

import io.godwit.plugin.auth.AuthExchange;
import io.godwit.plugin.auth.AuthStep;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.client.TenantId;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The server's side of SCRAM-SHA-256 (RFC 5802, RFC 7677), without channel binding. The messages: the client's first
 * has user and nonce; the server's first adds its own nonce, salt and iterations; the client's final proves the
 * password; the server's final proves that the server knows the user's credential. The server computes only a few
 * HMACs, so it works on the event loop, except for a user name that is not ASCII and must be normalized: {@link
 * Computer}.
 *
 * <p>For an unknown user the exchange continues with a made-up salt, and ends with the refusal of a wrong password.
 * Used by one thread at a time.
 */
public final class ScramExchange implements AuthExchange {
    public static final String METHOD = "SCRAM-SHA-256";

    /** gs2 header, user, nonce; extensions may follow and are ignored. */
    private static final Pattern CLIENT_FIRST =
            Pattern.compile("([ny],(?:a=([^,]+))?,)(n=([^,]+),r=([\\x21-\\x2B\\x2D-\\x7E]+)(?:,.*)?)");

    private static final Pattern CLIENT_FINAL =
            Pattern.compile("(c=([^,]+),r=([\\x21-\\x2B\\x2D-\\x7E]+)(?:,.*)?),p=([A-Za-z0-9+/]+={0,2})");

    /** No client needs a longer message. */
    private static final int MAX_MESSAGE_BYTES = 4096;

    private static final AuthStep WRONG =
            new ConnectResult.Refused(RefusalReason.BAD_CREDENTIALS, "unknown user or wrong password (SCRAM)");

    private final Users users;
    private final Computer computer;
    private final TenantId tenant;
    private final String serverNonce;

    // from the client's first message
    private @Nullable String user;
    private @Nullable ScramCredential credential;
    private boolean isKnown;
    private String gs2Header = "";
    private String nonce = "";
    /** Both first messages, each followed by a comma. */
    private String firstMessages = "";

    private boolean isAskedToBegin;

    /** @param serverNonce unpredictable printable ASCII without a comma, used once */
    public ScramExchange(Users users, Computer computer, TenantId tenant, String serverNonce) {
        this.users = users;
        this.computer = computer;
        this.tenant = tenant;
        this.serverNonce = serverNonce;
    }

    @Override
    public CompletableFuture<AuthStep> onData(byte[] data) {
        if (data.length > MAX_MESSAGE_BYTES) {
            return CompletableFuture.completedFuture(malformed("has " + data.length + " bytes"));
        }
        boolean isToBeNormalized = user == null && !isAscii(data);
        return isToBeNormalized ? computer.compute(() -> next(data)) : CompletableFuture.completedFuture(next(data));
    }

    private static boolean isAscii(byte[] data) {
        for (byte each : data) {
            if (each < 0) {
                return false;
            }
        }
        return true;
    }

    private AuthStep next(byte[] data) {
        if (data.length == 0 && user == null && !isAskedToBegin) { // a CONNECT with the method alone
            isAskedToBegin = true;
            return new AuthStep.Challenge(data);
        }
        String message;
        try {
            message = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(data))
                    .toString();
        } catch (CharacterCodingException e) {
            return malformed("is not UTF-8");
        }
        String name = user;
        ScramCredential expected = credential;
        return name == null || expected == null ? onFirst(message) : onFinal(message, name, expected);
    }

    private AuthStep onFirst(String message) {
        Matcher matcher = CLIENT_FIRST.matcher(message);
        if (!matcher.matches()) {
            return malformed("is not a client-first-message without channel binding");
        }
        String named = unescape(matcher.group(4));
        String onBehalfOf = matcher.group(2);
        if (named == null || onBehalfOf != null && !named.equals(unescape(onBehalfOf))) {
            return malformed("has a malformed user name, or another authorization identity");
        }
        if (named.length() > SaslPrep.MAX_CHARS) {
            return malformed("names a user with " + named.length() + " characters");
        }
        String name = SaslPrep.prepare(named).orElse(named);
        ScramCredential found = users.scram(name);
        isKnown = found != null;
        ScramCredential asked = found != null ? found : users.nobody(name);
        user = name;
        credential = asked;
        gs2Header = matcher.group(1);
        nonce = matcher.group(5) + serverNonce;
        String serverFirst =
                "r=" + nonce + ",s=" + Base64.getEncoder().encodeToString(asked.salt()) + ",i=" + asked.iterations();
        firstMessages = matcher.group(3) + "," + serverFirst + ",";
        return new AuthStep.Challenge(serverFirst.getBytes(StandardCharsets.UTF_8));
    }

    private AuthStep onFinal(String message, String name, ScramCredential expected) {
        Matcher matcher = CLIENT_FINAL.matcher(message);
        if (!matcher.matches()) {
            return malformed("is no client-final-message");
        }
        String binding = Base64.getEncoder().encodeToString(gs2Header.getBytes(StandardCharsets.UTF_8));
        if (!matcher.group(2).equals(binding) || !matcher.group(3).equals(nonce)) {
            return malformed("does not repeat the header and the nonce");
        }
        byte[] proof;
        try {
            proof = Base64.getDecoder().decode(matcher.group(4));
        } catch (IllegalArgumentException e) {
            return malformed("has no base64 proof");
        }
        String authMessage = firstMessages + matcher.group(1);
        byte[] clientKey = Hmac.sha256(expected.storedKey(), authMessage);
        if (proof.length != clientKey.length) {
            return WRONG;
        }
        for (int i = 0; i < proof.length; i++) {
            clientKey[i] ^= proof[i];
        }
        boolean isRight = MessageDigest.isEqual(Hmac.digest(clientKey), expected.storedKey());
        if (!isRight || !isKnown) {
            return WRONG;
        }
        String signature = Base64.getEncoder().encodeToString(Hmac.sha256(expected.serverKey(), authMessage));
        return new ConnectResult.Accepted(tenant, name, ("v=" + signature).getBytes(StandardCharsets.UTF_8));
    }

    private static AuthStep malformed(String detail) {
        return new ConnectResult.Refused(RefusalReason.BAD_CREDENTIALS, "SCRAM: the message of the client " + detail);
    }

    /** Decodes a saslname of RFC 5802: "=2C" is a comma, "=3D" an equals sign. Null if it has another '=' or U+0000. */
    private static @Nullable String unescape(String saslName) {
        String plain = saslName.replace("=2C", ",").replace("=3D", "\0");
        boolean isValid = saslName.indexOf('\0') < 0 && plain.indexOf('=') < 0;
        return isValid ? plain.replace('\0', '=') : null;
    }

    /** Runs a step off the event loop, or refuses it. */
    public interface Computer {
        CompletableFuture<AuthStep> compute(Supplier<AuthStep> step);
    }

    /** The source of credentials. */
    public interface Users {
        /** Null for an unknown user, and for a user without a SCRAM credential. */
        @Nullable
        ScramCredential scram(String user);

        /** A credential that no password matches; always the same for one name. */
        ScramCredential nobody(String user);
    }
}
