package io.godwit.broker.auth.password;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CredentialTest {
    private static final SecureRandom RANDOM = new SecureRandom();

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void holdsItsPasswordAndSurvivesItsText(Credential made, String password) {
        Credential read = Credential.parse(made.text());
        assertThat(read.text()).isEqualTo(made.text());
        assertThat(read.kind()).isEqualTo(made.kind());
        assertThat(read.matches(utf8(password))).isTrue();
        assertThat(read.matches(utf8(password + "x"))).isFalse();
        assertThat(read.matches(new byte[0])).isFalse();
        assertThat(made.toString())
                .doesNotContain(made.text().substring(made.text().length() - 20));
    }

    @Test
    void bcryptHoldsItsPassword() {
        holdsItsPasswordAndSurvivesItsText(BcryptHash.of(utf8("grutto"), 4, RANDOM), "grutto");
    }

    /** A test vector shared by OpenBSD, Python's bcrypt and others. */
    @Test
    void bcryptOfOthersIsRead() {
        Credential credential = Credential.parse("$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW");
        assertThat(credential.matches(utf8("U*U"))).isTrue();
        assertThat(credential.matches(utf8("U*U*"))).isFalse();
    }

    /** Bcrypt reads 72 bytes, so long passwords that differ only after them would be equal. */
    @Test
    void bcryptRefusesWhatItWouldCut() {
        String longest = "x".repeat(72);
        BcryptHash hash = BcryptHash.of(utf8(longest), 4, RANDOM);
        assertThat(hash.matches(utf8(longest))).isTrue();
        assertThat(hash.matches(utf8(longest + "y"))).isFalse();
        assertThatThrownBy(() -> BcryptHash.of(utf8(longest + "y"), 4, RANDOM)).hasMessageContaining("72 bytes");
    }

    @Test
    void argon2HoldsItsPassword() {
        holdsItsPasswordAndSurvivesItsText(Argon2Hash.of(utf8("a".repeat(200)), RANDOM), "a".repeat(200));
    }

    /** From the tests of the reference implementation. */
    @Test
    void argon2OfOthersIsRead() {
        Credential credential = Credential.parse(
                "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4");
        assertThat(credential.matches(utf8("password"))).isTrue();
        assertThat(credential.matches(utf8("Password"))).isFalse();
    }

    @Test
    void scramHoldsItsPassword() {
        holdsItsPasswordAndSurvivesItsText(ScramCredential.of(utf8("pencil"), 4096, RANDOM), "pencil");
    }

    /** Salt and iterations of the example in RFC 7677; PostgreSQL writes the same text for them. */
    @Test
    void scramIsWhatTheRfcSays() {
        byte[] salt = Base64.getDecoder().decode("W22ZaJ0SNY7soEsUEjb6gQ==");
        assertThat(ScramCredential.of(utf8("pencil"), 4096, salt).text())
                .isEqualTo("SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:"
                        + "wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=");
    }

    /** Passwords that look the same when typed are the same: with a ligature, a no-break space or a soft hyphen. */
    @Test
    void scramPreparesPasswords() {
        ScramCredential credential = ScramCredential.of(utf8("ﬁ x"), 4096, RANDOM);
        assertThat(credential.matches(utf8("fi\u00A0\u00ADx"))).isTrue();
        assertThat(credential.matches(new byte[] {(byte) 0xFF})).isFalse();
        assertThatThrownBy(() -> ScramCredential.of(new byte[] {(byte) 0xFF}, 4096, RANDOM))
                .hasMessageContaining("UTF-8");
        assertThatThrownBy(() -> ScramCredential.of(new byte[] {7}, 4096, RANDOM))
                .hasMessageContaining("control characters");
    }

    /** Both lines were written by mosquitto_passwd. */
    @Test
    void hashesOfMosquittoAreTakenAsTheyAre() {
        Credential pbkdf2 = Credential.parse(
                "$7$101$anT2zS1pL5jq981F$yL58mBe9BcvdUQboC99d4TscEt7VHKUWaLpys/x4hC1ifad8l8DtjNda7og9UyRItv54J5"
                        + "mj3lGC7y6HGlRxaA==");
        assertThat(pbkdf2.matches(utf8("secret1"))).isTrue();
        assertThat(pbkdf2.matches(utf8("secret2"))).isFalse();
        assertThat(pbkdf2.kind()).isEqualTo("mosquitto pbkdf2 iterations=101");
        Credential sha512 = Credential.parse(
                "$6$hvzpGlkWk+pnY2Pd$radys5Ll1Wi3fRQzXUXIAPKbRQRo/OsJEqgpsOVQ/HHnZ+GdYd+vRiOF8W30ejZFYnOR5VWiQt"
                        + "gC4Jhb3seSpw==");
        assertThat(sha512.matches(utf8("secret 2"))).isTrue();
        assertThat(sha512.matches(utf8("secret"))).isFalse();
        assertThat(sha512.text()).startsWith("$6$");
    }

    /** RFC 7914, 11. */
    @Test
    void pbkdf2IsWhatTheRfcSays() {
        assertThat(HexFormat.of().formatHex(Hmac.pbkdf2("HmacSHA256", utf8("passwd"), utf8("salt"), 1)))
                .isEqualTo("55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc");
        assertThat(HexFormat.of().formatHex(Hmac.pbkdf2("HmacSHA256", utf8("Password"), utf8("NaCl"), 80_000)))
                .isEqualTo("4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "secret",
                "$1$abc$def",
                "$2b$10$short",
                "$2b$31$......................UaUp2CqHXn14N7RprrzoDsNv91ahi36",
                "$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
                "$argon2id$v=19$m=999999999,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
                "$argon2id$v=19$m=256,t=999,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
                "$6$c29tZXNhbHQ=$short",
                "$7$0$c29tZXNhbHQ=$"
                        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==",
                "SCRAM-SHA-256$100:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:"
                        + "wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=",
                "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY="
            })
    void whatIsNoHashOrCostsTooMuchIsRefused(String text) {
        assertThatThrownBy(() -> Credential.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }
}
