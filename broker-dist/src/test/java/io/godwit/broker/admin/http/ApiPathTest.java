package io.godwit.broker.admin.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ApiPathTest {
    @Test
    void aClientIdThatNoPathCanHaveIsAParameter() {
        assertThat(ApiPath.of("/c").client("a/b.").then("/queue").with("tenant", "t"))
                .hasToString("/c/a%2Fb./queue?tenant=t");
        assertThat(ApiPath.of("/c").client(".").then("/queue").with("tenant", null))
                .hasToString("/c/-/queue?id=.");
        ApiPath path = ApiPath.of("/c").client("..").with("tenant", "t");
        assertThat(path).hasToString("/c/-?tenant=t&id=..");
        assertThat(path.copy().with("cursor", "x")).hasToString("/c/-?tenant=t&cursor=x&id=..");
        assertThat(path).hasToString("/c/-?tenant=t&id=..");
    }
}
