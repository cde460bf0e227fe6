package io.godwit.api.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class OperationTest {
    /** They are read when an answer is first compared, which few brokers do. */
    @Test
    void answersOfTheDocumentHaveSchemasThatCanBeUsed() {
        AtomicInteger schemas = new AtomicInteger();
        for (Operation operation : Contract.load().operations()) {
            assertThat(operation.answers()).as(operation.id()).isNotEmpty();
            operation
                    .answers()
                    .forEach((status, byType) -> byType.forEach((type, schema) -> {
                        assertThatCode(() -> new SchemaCheck(schema).errors("a text"))
                                .as("%s %s %s", operation.id(), status, type)
                                .doesNotThrowAnyException();
                        schemas.incrementAndGet();
                    }));
        }
        assertThat(schemas.get()).isGreaterThan(30);
    }
}
