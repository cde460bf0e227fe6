package io.godwit.api.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.api.auth.TokenFile.Entry;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.security.auth.x500.X500Principal;
import org.junit.jupiter.api.Test;

class TokenFileTest {
    private static final String HASH = "00".repeat(32);

    @Test
    void aTokenIsFoundByItsTextOnly() {
        String token = TokenText.make(new SecureRandom());
        TokenFile file = TokenFile.parse("")
                .with(Entry.ofToken("ann", Role.OPERATOR, "t1", token))
                .with(Entry.ofToken("bob", Role.VIEWER, "", TokenText.make(new SecureRandom())));

        String hash = file.entries().get(0).value();
        assertThat(file.ofToken(token))
                .isEqualTo(new Principal(
                        "ann", Role.OPERATOR, Optional.of("t1"), Principal.Kind.TOKEN, "file:" + hash.substring(0, 8)));
        assertThat(file.ofToken(token + "x")).isNull();
        assertThat(file.ofToken("")).isNull();
        assertThat(file.text()).doesNotContain(token);
        assertThat(file.entries().get(0).toString())
                .doesNotContain(file.entries().get(0).value());
    }

    @Test
    void aTokenHas256RandomBits() {
        assertThat(TokenText.make(new SecureRandom()))
                .matches("gdw_[A-Za-z0-9_-]{43}")
                .isNotEqualTo(TokenText.make(new SecureRandom()));
    }

    @Test
    void aWrittenFileCanBeReadAgain() {
        TokenFile file = TokenFile.parse("# who\n\nann:admin::sha256:" + HASH + "\nops:viewer:t1:subject:CN=a:b,O=c\n");
        assertThat(TokenFile.parse(file.text()).entries())
                .isEqualTo(file.entries())
                .hasSize(2);
        assertThat(file.without("ann").orElseThrow().entries()).hasSize(1);
        assertThat(file.without("nobody")).isEmpty();
    }

    @Test
    void aSubjectIsComparedAsAName() {
        TokenFile file = TokenFile.parse("ops:viewer::subject:CN=Ops, O=Birds");
        assertThat(file.ofSubject(new X500Principal("cn=ops,o=birds"))).isNotNull();
        assertThat(file.ofSubject(new X500Principal("CN=Ops"))).isNull();
        assertThat(file.ofSubject(new X500Principal("CN=Ops,O=Birds,C=DE"))).isNull();
    }

    /** Each entry costs one look: not one at all those before it, nor does a request cost one at each entry. */
    @Test
    void aFullFileIsReadAndAskedQuickly() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 1_000; i++) {
            text.append("n" + i + ":viewer::subject:CN=" + i + ",O=" + "long name ".repeat(60) + "x\n");
        }
        TokenFile[] file = new TokenFile[1];
        assertThat(cpuMillis(() -> file[0] = TokenFile.parse(text.toString()))).isLessThan(4_000);
        assertThat(file[0].entries()).hasSize(1_000);
        X500Principal nobody = new X500Principal("CN=nobody");
        assertThat(cpuMillis(() -> {
                    for (int i = 0; i < 1_000; i++) {
                        assertThat(file[0].ofSubject(nobody)).isNull();
                    }
                }))
                .isLessThan(4_000);
        isRefused(text + "one-more:viewer::subject:CN=z", "line 1001: there are more than 1000");
    }

    private static long cpuMillis(Runnable task) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long begun = threads.getCurrentThreadCpuTime();
        task.run();
        return TimeUnit.NANOSECONDS.toMillis(threads.getCurrentThreadCpuTime() - begun);
    }

    @Test
    void aWrongLineIsNamed() {
        isRefused("ann:admin:sha256:" + HASH, "line 1");
        isRefused("\nann:root::sha256:" + HASH, "line 2: the role must be");
        isRefused("a b:admin::sha256:" + HASH, "the name");
        isRefused("ann:admin:t/1:sha256:" + HASH, "the tenant");
        isRefused("ann:admin:" + "t".repeat(65) + ":sha256:" + HASH, "the tenant");
        isRefused("ann:admin::md5:" + HASH, "sha256 or subject");
        isRefused("ann:admin::sha256:1234", "64 hexadecimal");
        isRefused("ann:admin::subject:nobody", "line 1");
        isRefused("ann:admin::sha256:" + HASH + "\nann:admin::sha256:" + "11".repeat(32), "line 2: the name ann");
        isRefused("ann:admin::sha256:" + HASH + "\nbob:viewer::sha256:" + HASH, "line 2: the token or subject");
        isRefused("a:admin::subject:CN=x\nb:viewer::subject:cn=X", "line 2: the token or subject");
    }

    private static void isRefused(String text, String why) {
        assertThatThrownBy(() -> TokenFile.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why)
                .hasMessageNotContaining(HASH);
    }
}
