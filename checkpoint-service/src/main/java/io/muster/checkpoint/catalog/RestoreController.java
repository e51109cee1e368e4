package io.muster.checkpoint.catalog;

import io.muster.contract.checkpoint.RestoreRequest;
import io.muster.contract.problem.Violation;
import java.util.List;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** For job-service: what does this attempt start from? */
@RestController
class RestoreController {

    private final DecideRestore decideRestore;

    RestoreController(DecideRestore decideRestore) {
        this.decideRestore = decideRestore;
    }

    @PostMapping("/internal/services/restores")
    ResponseEntity<?> decide(@RequestBody RestoreRequest request) {
        List<Violation> wrong = RequestRules.of(request);
        return wrong.isEmpty() ? ResponseEntity.ok(decideRestore.decide(request)) : CatalogAnswers.malformed(wrong);
    }
}
