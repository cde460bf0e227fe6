package io.godwit.dist.peer.filter;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class FilterKeyTest {
    /** For any filter that a client may subscribe to, the receiving node decodes the key of the sending node. */
    @Property
    void theTextOfAKeyIsUnderstoodAsTheSameKey(@ForAll("texts") String text) {
        Optional<TopicFilter> filter = TopicFilter.parse(text);
        Assume.that(filter.isPresent());
        FilterKey key = FilterKey.of(TenantId.DEFAULT, filter.orElseThrow());
        assertThat(FilterKey.parse(TenantId.DEFAULT, key.text())).contains(key);
    }

    @Provide
    Arbitrary<String> texts() {
        return Arbitraries.of("$share", "$oshare", "$queue", "$exclusive", "g", "+", "#", "")
                .list()
                .ofMinSize(1)
                .ofMaxSize(5)
                .map((List<String> levels) -> String.join("/", levels));
    }
}
