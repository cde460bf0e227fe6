package io.godwit.broker.auth.login;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LoginSourceTest {
    @Test
    void anAddressIsASourceWhateverItsPort() {
        assertThat(LoginSource.of("10.0.0.1:5000")).isEqualTo(LoginSource.of("10.0.0.1:5001"));
        assertThat(LoginSource.of("10.0.0.1:5000")).isNotEqualTo(LoginSource.of("10.0.0.2:5000"));
    }

    /** A site usually has a network of 64 bits. */
    @Test
    void ofAnIpv6AddressTheFirstHalfCounts() {
        long source = LoginSource.of("2001:db8:0:1:0:0:0:1:5000");
        assertThat(LoginSource.of("2001:db8:0:1:ffff:0:0:2:6000")).isEqualTo(source);
        assertThat(LoginSource.of("[2001:db8:0:1::3]:5000")).isEqualTo(source);
        assertThat(LoginSource.of("2001:db8:0:1:0:0:0:1%eth0:5000")).isEqualTo(source);
        assertThat(LoginSource.of("2001:db8:0:2:0:0:0:1:5000")).isNotEqualTo(source);
    }

    @Test
    void whatIsNoAddressIsNotLookedUp() {
        assertThat(LoginSource.of("somewhere.invalid:1")).isZero();
        assertThat(LoginSource.of("local:embedded")).isZero();
        assertThat(LoginSource.of("")).isZero();
    }
}
