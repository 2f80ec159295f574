"""The gRPC services as an internal service in another language sees them.

Nothing here is generated from our proto files: every message is built from what the server says of itself by
reflection.
"""

import time
import unittest

import grpc
import jwt
from google.protobuf import message_factory
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from server import EMAIL, PASSWORD, PHONE, Server


class Service:
    """Calls the methods of one service by name, with messages given as dictionaries."""

    def __init__(self, channel, pool, name):
        self.channel = channel
        self.descriptor = pool.FindServiceByName(name)

    def __call__(self, method, request, token=None):
        rpc = self.descriptor.methods_by_name[method]
        request_type = message_factory.GetMessageClass(rpc.input_type)
        reply_type = message_factory.GetMessageClass(rpc.output_type)
        shape = ("stream" if rpc.client_streaming else "unary") + ("_stream" if rpc.server_streaming else "_unary")
        call = getattr(self.channel, shape)(
            f"/{self.descriptor.full_name}/{method}",
            request_serializer=request_type.SerializeToString,
            response_deserializer=reply_type.FromString,
        )
        metadata = [("authorization", f"Bearer {token}")] if token else None
        if rpc.client_streaming:
            sent = (request_type(**part) for part in request)
        else:
            sent = request_type(**request)
        reply = call(sent, metadata=metadata, timeout=20)
        return list(reply) if rpc.server_streaming else reply


class ForeignClient(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--reflection")
        cls.channel = grpc.insecure_channel(cls.server.grpc)
        grpc.channel_ready_future(cls.channel).result(timeout=60)
        cls.reflection = ProtoReflectionDescriptorDatabase(cls.channel)
        pool = DescriptorPool(cls.reflection)
        cls.auth = Service(cls.channel, pool, "tradebahi.auth.v1.AuthService")
        cls.trades = Service(cls.channel, pool, "tradebahi.trades.v1.TradesService")
        cls.imports = Service(cls.channel, pool, "tradebahi.imports.v1.ImportService")
        cls.auth(
            "Register",
            dict(name="Asha Rao", email=EMAIL, phone=PHONE, password=PASSWORD, confirm_password=PASSWORD),
        )
        cls.token = cls.log_in()

    @classmethod
    def tearDownClass(cls):
        cls.channel.close()
        cls.server.stop()

    @classmethod
    def log_in(cls, login=EMAIL):
        return cls.auth("LogIn", dict(login=login, password=PASSWORD)).tokens.access_token

    def refused(self, code, service, method, request, token=None):
        with self.assertRaises(grpc.RpcError) as refusal:
            service(method, request, token)
        self.assertEqual(refusal.exception.code(), code, method)
        return refusal.exception

    def test_the_server_names_its_services_and_says_that_they_serve(self):
        names = set(self.reflection.get_services())
        ours = {
            "tradebahi.auth.v1.AuthService",
            "tradebahi.trades.v1.TradesService",
            "tradebahi.imports.v1.ImportService",
            "tradebahi.journals.v1.JournalService",
            "tradebahi.analytics.v1.AnalyticsService",
            "tradebahi.careers.v1.CareersService",
        }
        self.assertLessEqual(ours | {"grpc.health.v1.Health"}, names)
        health = health_pb2_grpc.HealthStub(self.channel)
        for name in ["", *ours]:
            answer = health.Check(health_pb2.HealthCheckRequest(service=name))
            self.assertEqual(answer.status, health_pb2.HealthCheckResponse.SERVING, name)

    def test_a_token_is_verified_with_the_published_key(self):
        header = jwt.get_unverified_header(self.token)
        self.assertEqual((header["alg"], header["typ"]), ("EdDSA", "at+jwt"))
        keys = self.auth("GetVerification", {}).keys
        x = next(key.x for key in keys if key.kid == header["kid"])
        key = jwt.PyJWK({"kty": "OKP", "crv": "Ed25519", "x": x, "alg": "EdDSA"})
        claims = jwt.decode(self.token, key, algorithms=["EdDSA"], audience="api", issuer="tradebahi")
        self.assertEqual((claims["name"], claims["email"]), ("Asha Rao", EMAIL))
        self.assertEqual(claims["exp"] - claims["iat"], 600)

    def test_each_service_asks_by_itself_who_calls(self):
        other_key = jwt.encode({"sub": "x", "aud": "api", "iss": "tradebahi", "exp": time.time() + 60}, "k" * 32)
        for service, method, request in [
            (self.auth, "GetAccount", {}),
            (self.trades, "ListTrades", {}),
            (self.trades, "QueryTrades", {"limit": 1}),
            (self.trades, "ImportTrades", []),
            (self.imports, "ImportFile", []),
        ]:
            for token in [None, "rubbish", other_key, self.token[:-2]]:
                self.refused(grpc.StatusCode.UNAUTHENTICATED, service, method, request, token)

    def test_trades_go_in_by_a_stream_and_come_out_by_one(self):
        book = dict(broker="BROKER_ZERODHA", segment="SEGMENT_EQUITY")
        fill = dict(
            side="SIDE_BUY",
            symbol="M&M",
            quantity="60",
            price="3142.05",
            executed_at=dict(seconds=1_750_400_000),
            time_precision="TIME_PRECISION_SECOND",
            exchange="EXCHANGE_NSE",
        )
        parts = [
            dict(head=dict(book=book, file_name="from Python", file_sha256=bytes(32), format="foreign")),
            dict(batch=dict(trades=[{**fill, "source_key": f"k{n}"} for n in range(3)])),
            dict(end=dict(trades=3)),
        ]
        token = self.log_in(login="+91 98200 41537")
        self.assertEqual(self.trades("ImportTrades", parts, token).added, 3)
        head, page = self.trades("ListTrades", {}, token)
        self.assertEqual(head.head.total, 3)
        self.assertEqual({(t.symbol, t.quantity, t.price, t.value) for t in page.page.trades}, {("M&M", "60", "3142.05", "188523")})
        self.assertEqual(self.trades("ImportTrades", parts, token).duplicates, 3)

    def test_a_file_that_is_none_is_refused_with_a_reason(self):
        book = dict(broker="BROKER_ZERODHA", segment="SEGMENT_EQUITY")
        parts = [dict(choice=dict(book=book, file_name="notes.txt")), dict(chunk=b"not a spreadsheet\n")]
        refusal = self.refused(grpc.StatusCode.INVALID_ARGUMENT, self.imports, "ImportFile", parts, self.token)
        details = dict(refusal.trailing_metadata())["grpc-status-details-bin"]
        self.assertIn(b"FILE_", details)

    def test_a_signed_out_token_is_refused_within_five_seconds(self):
        token = self.log_in()
        self.auth("GetAccount", {}, token)
        self.auth("LogOut", {}, token)
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            try:
                self.auth("GetAccount", {}, token)
            except grpc.RpcError as refusal:
                self.assertEqual(refusal.code(), grpc.StatusCode.UNAUTHENTICATED)
                return
            time.sleep(0.1)
        self.fail("the token still works")


if __name__ == "__main__":
    unittest.main()
